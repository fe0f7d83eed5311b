import { statSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS, textAt } from '../../../store/files/read.ts'
import { type Files, PRESENCE_FILES, READ_FILES } from './propose.ts'

/** The files of a project that `propose` needs. A file that cannot be read counts as missing. */
export function readFiles(project: string): Files {
  const read = READ_FILES.map(name => [name, textAt(join(project, name), { limit: LIMITS.small })] as const)
  const seen = PRESENCE_FILES.map(name => [name, isFile(join(project, name)) ? '' : null] as const)
  return Object.fromEntries(
    [...read, ...seen].filter((entry): entry is [string, string] => entry[1] !== null),
  )
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}
