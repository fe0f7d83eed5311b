import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { dropMemo, readMemo, writeMemo } from '../../store/memos.ts'

/** A sandbox that ralph made, with its project and the run that worked in it last. */
export type SandboxRecord = { name: string; project: string; root: string; agent: string; run: string }

/** The name of a project's sandbox. A hash, because paths are too long for a name, and two may differ in one odd character. */
export const sandboxName = (project: string): string =>
  `ralph-${createHash('sha256').update(project).digest('hex').slice(0, 12)}`

const folderOf = (home: string): string => join(home, 'sandboxes')

export const readSandbox = (home: string, name: string): SandboxRecord | null =>
  readMemo<SandboxRecord>(folderOf(home), name)

export function writeSandbox(home: string, record: SandboxRecord): void {
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 })
  writeMemo(folderOf(home), record.name, record)
}

export const dropSandbox = (home: string, name: string): void => dropMemo(folderOf(home), name)

/** All that ralph made and did not remove. */
export function listSandboxes(home: string): SandboxRecord[] {
  try {
    const names = readdirSync(folderOf(home)).filter(file => file.endsWith('.json'))
    return names.sort().flatMap(file => readSandbox(home, file.slice(0, -'.json'.length)) ?? [])
  } catch {
    return []
  }
}

/** For which version of sbx every step was tried here and worked. */
type Checked = { version: string; at: number }

const CHECKED = 'sandbox-docker'
const cacheOf = (home: string): string => join(home, 'cache')

export function rememberCheck(home: string, version: string): void {
  mkdirSync(cacheOf(home), { recursive: true, mode: 0o700 })
  writeMemo(cacheOf(home), CHECKED, { version, at: Date.now() } satisfies Checked)
}

export const forgetCheck = (home: string): void => dropMemo(cacheOf(home), CHECKED)

export const checkedVersion = (home: string): string | null =>
  readMemo<Checked>(cacheOf(home), CHECKED)?.version ?? null
