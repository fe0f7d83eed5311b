import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, OWN_DEPTH, parseJson } from '../core/json.ts'
import { replaceFile } from './files/atomic.ts'
import { LIMITS, textAt } from './files/read.ts'
import { FORMAT } from './journal-lines.ts'

const folderOf = (home: string) => join(home, 'receipts')

/** Saves the receipt of a run whose folder is about to be deleted. */
export function keepReceipt(home: string, id: string, receipt: object): void {
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 })
  replaceFile(join(folderOf(home), `${id}.json`), `${JSON.stringify({ v: FORMAT, ...receipt })}\n`, 0o600)
}

/** The receipt of a deleted run, by its id or a beginning or end of it that matches no other run. */
export function findReceipt(home: string, name: string): unknown {
  const matches = idsIn(home).filter(id => id.startsWith(name) || id.endsWith(name))
  if (matches.length !== 1) return null
  return read(home, matches[0]!)
}

/** The latest receipt of a project. Null if there is none. */
export function latestReceipt(home: string, project: string): unknown {
  for (const id of idsIn(home).sort().reverse()) {
    const receipt = read(home, id)
    if (receipt?.project === project) return receipt
  }
  return null
}

/** A receipt. Null if it cannot be read, or is of another version of ralph. */
function read(home: string, id: string): { project?: unknown } | null {
  const text = textAt(join(folderOf(home), `${id}.json`), { limit: LIMITS.own })
  try {
    const found = text === null ? null : parseJson(text, OWN_DEPTH)
    if (!isObject(found) || found.v !== FORMAT) return null
    const { v: _, ...receipt } = found
    return receipt
  } catch {
    return null
  }
}

function idsIn(home: string): string[] {
  try {
    return readdirSync(folderOf(home)).flatMap(name => (name.endsWith('.json') ? [name.slice(0, -5)] : []))
  } catch {
    return []
  }
}
