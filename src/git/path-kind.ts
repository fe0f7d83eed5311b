import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What is at a path. Links are not followed: a path below a link, or below a file, counts as nothing. */
export type PathKind = 'nothing' | 'file' | 'link' | 'folder' | 'repository' | 'special'

export function pathKind(root: string, path: string): PathKind {
  for (let above = dirname(path); above !== '.'; above = dirname(above))
    if (!lstatSync(join(root, above), { throwIfNoEntry: false })?.isDirectory()) return 'nothing'
  const file = join(root, path)
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (!found) return 'nothing'
  if (found.isSymbolicLink()) return 'link'
  if (found.isFile()) return 'file'
  if (!found.isDirectory()) return 'special'
  return lstatSync(join(file, '.git'), { throwIfNoEntry: false }) ? 'repository' : 'folder'
}
