import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What stands at a path. What lies behind a link, or below something that is no folder, does not stand there. */
export type Stands = 'nothing' | 'file' | 'link' | 'folder' | 'repository' | 'special'

export function standsAt(root: string, path: string): Stands {
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
