import { lstatSync, readdirSync, type Stats } from 'node:fs'
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

/** The state of what is at a path itself. Null if nothing is, also where a file has the name of a folder in the path. */
export function statAt(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}

/**
 * Why some files cannot be put back, in one line: something else is in their place that is not planned to be removed,
 * for example a folder with ignored files. null if nothing is in the way.
 */
export function obstacleTo(
  root: string,
  remove: readonly string[],
  restore: readonly string[],
): string | null {
  const removed = new Set(remove)
  for (const path of restore) {
    for (let above = dirname(path); above !== '.'; above = dirname(above)) {
      const kind = pathKind(root, above)
      if (kind !== 'nothing' && kind !== 'folder' && kind !== 'repository' && !removed.has(above))
        return `${above} is in the way of ${path}, and is not the run's to remove; move it away first`
    }
    const kind = pathKind(root, path)
    if (kind !== 'folder' && kind !== 'repository') continue
    const other = filesBelow(root, path).find(file => !removed.has(file))
    if (other !== undefined)
      return `${path} is a folder now, and ${other} in it is not the run's to remove; move it away first`
  }
  return null
}

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesBelow(root, path) : [path]
  })
}
