import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '../../core/json.ts'
import type { Capabilities } from '../../core/ports.ts'
import { LIMITS, readRegularFile } from '../../store/files/read.ts'
import { asObject, type Fields } from '../shared/fields.ts'

type Binary = { path: string; size: number; mtimeMs: number }

/** What is remembered of this exact binary; null if there is nothing, or nothing valid. */
export function recall(dir: string, { path, size, mtimeMs }: Binary): Capabilities | null {
  const all = read(dir)
  const entry = Object.hasOwn(all, path) ? asObject(all[path]) : null
  if (!entry || entry.size !== size || entry.mtimeMs !== mtimeMs) return null
  const { version, flags } = entry
  if (typeof version !== 'string' || !Array.isArray(flags)) return null
  return flags.every(flag => typeof flag === 'string') ? { version, flags: new Set(flags) } : null
}

/** Replaces what was known of an earlier binary at the same path. Only a cache, so a failure is ignored. */
export function remember(dir: string, { path, ...binary }: Binary, { version, flags }: Capabilities): void {
  const temporary = `${fileIn(dir)}.${process.pid}`
  try {
    mkdirSync(dir, { recursive: true })
    const entry = { ...binary, version, flags: [...(flags ?? [])] }
    writeFileSync(temporary, JSON.stringify({ ...read(dir), [path]: entry }, null, 2))
    renameSync(temporary, fileIn(dir))
  } catch {
    discard(temporary)
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true })
  } catch {
    // It was never written.
  }
}

const fileIn = (dir: string) => join(dir, 'capabilities.json')

function read(dir: string): Fields {
  try {
    return asObject(parseJson(readRegularFile(fileIn(dir), { limit: LIMITS.text }).toString())) ?? {}
  } catch {
    return {}
  }
}
