import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { standsAt } from './stands.ts'

/**
 * What keeps files from being put back, in one line: something in their place that nobody planned to remove,
 * as ignored files in a folder. null if nothing does.
 */
export function obstacleTo(root: string, remove: readonly string[], put: readonly string[]): string | null {
  const going = new Set(remove)
  for (const path of put) {
    for (let above = dirname(path); above !== '.'; above = dirname(above)) {
      const stands = standsAt(root, above)
      if (stands !== 'nothing' && stands !== 'folder' && stands !== 'repository' && !going.has(above))
        return `${above} is in the way of ${path}, and is not the run's to remove; move it away first`
    }
    const stands = standsAt(root, path)
    if (stands !== 'folder' && stands !== 'repository') continue
    const other = filesBelow(root, path).find(file => !going.has(file))
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
