import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An empty folder that is gone after the test. */
export function folder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-settings-')))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A project with these files in its .ralph folder; what is no text or bytes is written as JSON. */
export function project(files: Record<string, unknown>): string {
  const path = folder()
  mkdirSync(join(path, '.ralph'))
  for (const [name, content] of Object.entries(files))
    writeFileSync(
      join(path, '.ralph', name),
      typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
    )
  return path
}

/** The message of what a call throws; an error of another class would be a stack trace for the user. */
export function refusal(call: () => unknown): string {
  try {
    call()
  } catch (error) {
    return (error as Error).name === 'UsageError' ? (error as Error).message : `not a UsageError: ${error}`
  }
  return 'nothing was refused'
}
