import { relative } from 'node:path'

/** A path as seen from a folder: relative if it leads inside, else as it is. */
export function pathSeenFrom(folder: string, path: string): string {
  const seen = relative(folder, path)
  return seen === '..' || seen.startsWith('../') ? path : seen
}
