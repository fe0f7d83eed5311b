import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from './files/atomic.ts'

// Facts next to the journal that matter only until the run goes on. Code that reads a note must also work without it.

export const writeNote = (runDir: string, name: string, value: unknown): void =>
  replaceFile(pathOf(runDir, name), JSON.stringify(value), 0o600)

export const dropNote = (runDir: string, name: string): void => rmSync(pathOf(runDir, name), { force: true })

/** null if it is missing or invalid. */
export function readNote<T>(runDir: string, name: string): T | null {
  try {
    return JSON.parse(readFileSync(pathOf(runDir, name), 'utf8'))
  } catch {
    return null
  }
}

const pathOf = (runDir: string, name: string) => join(runDir, `${name}.json`)
