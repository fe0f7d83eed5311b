import { existsSync, renameSync } from 'node:fs'
import { replaceFile } from './files/atomic.ts'
import { LIMITS, readRegularFile, UnreadableFile } from './files/read.ts'

/** What was in the place of a file, why it cannot be used, and where it is now. */
export type MovedAside = { unusable: string; kept: string }

/**
 * A file of ralph's that others can write; null if there is none. What cannot be read, a pipe or a huge file, is moved
 * aside: nothing is lost, and the path is free for a valid version.
 */
export function readOrMove(path: string): Buffer | MovedAside | null {
  try {
    return readRegularFile(path, { limit: LIMITS.text })
  } catch (error) {
    if (!(error instanceof UnreadableFile)) return null
    const kept = brokenName(path)
    renameSync(path, kept)
    return { unusable: `it ${error.why}`, kept }
  }
}

/** Saves a text next to a file, under a new name that ends in `.broken-` and a number. */
export function keepBroken(path: string, text: string): string {
  const name = brokenName(path)
  replaceFile(name, text)
  return name
}

function brokenName(path: string): string {
  let n = 1
  while (existsSync(`${path}.broken-${n}`)) n++
  return `${path}.broken-${n}`
}
