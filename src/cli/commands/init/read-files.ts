import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Files, READ, SEEN } from './propose.ts'

/** More is no build file that a person wrote. */
const MAX_BYTES = 1024 * 1024

/** The files of a project that `propose` wants to know of. What cannot be read is as if it were not there. */
export function readFiles(project: string): Files {
  const read = READ.map(name => [name, textOf(join(project, name))] as const)
  const seen = SEEN.map(name => [name, sizeOf(join(project, name)) === null ? null : ''] as const)
  return Object.fromEntries(
    [...read, ...seen].filter((entry): entry is [string, string] => entry[1] !== null),
  )
}

function textOf(path: string): string | null {
  const size = sizeOf(path)
  return size === null || size > MAX_BYTES ? null : attempt(() => readFileSync(path, 'utf8'))
}

/** null for what is no regular file: reading a pipe would wait for ever. */
const sizeOf = (path: string): number | null =>
  attempt(() => {
    const stat = statSync(path)
    return stat.isFile() ? stat.size : null
  })

function attempt<T>(look: () => T): T | null {
  try {
    return look()
  } catch {
    return null
  }
}
