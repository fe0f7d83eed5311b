// Memos: facts next to the journal that matter only until the run goes on. Code that reads one must also work without it.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { OWN_DEPTH, parseJson } from '../core/json.ts'
import { replaceFile, replaceFileUnsynced } from './files/atomic.ts'
import { LIMITS, readRegularFile } from './files/read.ts'

export const writeMemo = (runDir: string, name: string, value: unknown): void =>
  replaceFile(pathOf(runDir, name), JSON.stringify(value), 0o600)

/** The same for a value in JSON, without waiting for the disk: a memo that must be there only while this process lives. */
export const writeMemoUnsynced = (runDir: string, name: string, json: string): void =>
  replaceFileUnsynced(pathOf(runDir, name), json, 0o600)

export const dropMemo = (runDir: string, name: string): void => rmSync(pathOf(runDir, name), { force: true })

/** A memo, or null if it is missing or invalid. */
export function readMemo<T>(runDir: string, name: string): T | null {
  try {
    const bytes = readRegularFile(pathOf(runDir, name), { limit: LIMITS.own })
    return parseJson(bytes.toString(), OWN_DEPTH) as T
  } catch {
    return null
  }
}

const pathOf = (runDir: string, name: string) => join(runDir, `${name}.json`)
