import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Files, PRESENCE_FILES, READ_FILES } from './propose.ts'

/** A larger file was not written by a person. */
const MAX_BYTES = 1024 * 1024

/** The files of a project that `propose` needs. A file that cannot be read counts as missing. */
export function readFiles(project: string): Files {
  const read = READ_FILES.map(name => [name, textOf(join(project, name))] as const)
  const seen = PRESENCE_FILES.map(name => [name, sizeOf(join(project, name)) === null ? null : ''] as const)
  return Object.fromEntries(
    [...read, ...seen].filter((entry): entry is [string, string] => entry[1] !== null),
  )
}

function textOf(path: string): string | null {
  const size = sizeOf(path)
  return size === null || size > MAX_BYTES ? null : attempt(() => readFileSync(path, 'utf8'))
}

/** null for anything but a regular file: reading a pipe would wait for ever. */
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
