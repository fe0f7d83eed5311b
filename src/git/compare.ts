import type { EndSnapshot } from './end-snapshot.ts'
import { isKept, keptFolder } from './kept-files.ts'
import type { Start } from './start.ts'
import { contentOf } from './status.ts'
import type { TreeSpec } from './trees.ts'

/** Ralph's own files: never part of what a run changed. */
export const isRalphsOwn = (path: string): boolean =>
  /(^|\/)\.ralph(-active$|\/(\.gitignore$|sessions\/))/.test(path)

/** Not one of ralph's own files, and not a nested repository, which git lists as one folder. */
const isUserFile = (path: string): boolean => !path.endsWith('/') && !isRalphsOwn(path)

/**
 * The tree at the start of a run. `unknown` are paths that changed since and were not kept: they are taken as they are
 * now, so a diff does not show them.
 */
export function treeAtStart(start: Start, runDir: string): { tree: TreeSpec; unknown: string[] } {
  const kept: string[] = []
  const present: string[] = []
  const absent: string[] = []
  const unknown: string[] = []
  for (const [path, content] of Object.entries(start.dirty)) {
    if (!isUserFile(path)) continue
    if (!isKept(start, runDir, path)) {
      present.push(path)
      if (contentOf(start.root, path) !== content) unknown.push(path)
    } else if (content === 'absent') absent.push(path)
    else kept.push(path)
  }
  return {
    tree: {
      base: start.head,
      from: [
        { folder: keptFolder(runDir), paths: kept },
        { folder: start.root, paths: present },
      ],
      without: absent,
    },
    unknown,
  }
}

/** The tree as it is now, without ignored files. */
export const currentTree = (start: Start, now: { head: string | null; paths: string[] }): TreeSpec => ({
  base: now.head,
  from: [{ folder: start.root, paths: now.paths.filter(isUserFile) }],
  without: [],
})

/** The tree at the end of a run. A file that was uncommitted then and changed since is taken as it is now, and listed. */
export function treeAtEnd(start: Start, end: EndSnapshot): { tree: TreeSpec; changed: string[] } {
  const present: string[] = []
  const without: string[] = []
  const changed: string[] = []
  for (const [path, content] of Object.entries(end.dirty)) {
    if (!isUserFile(path)) continue
    if (content === 'absent') without.push(path)
    else present.push(path)
    if (content !== 'absent' && contentOf(start.root, path) !== content) changed.push(path)
  }
  return { tree: { base: end.head, from: [{ folder: start.root, paths: present }], without }, changed }
}
