import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The total size of the files below a path. Links are not followed. */
export function bytesIn(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return 0
  if (!found.isDirectory()) return found.size
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
}
