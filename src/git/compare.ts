import { isKept, keptFolder } from './keep.ts'
import type { Left } from './left.ts'
import type { Start } from './start.ts'
import { contentOf } from './status.ts'
import type { Composition } from './trees.ts'

/** Ralph's own: not the run's to show, nor to take away. */
export const isRalphsOwn = (path: string): boolean =>
  /(^|\/)\.ralph(-active$|\/(\.gitignore$|sessions\/))/.test(path)

/** Neither ralph's own, nor a folder with a repository of its own in it, which is listed as a whole. */
const isFile = (path: string): boolean => !path.endsWith('/') && !isRalphsOwn(path)

/**
 * The tree that a run found. `unknown` are paths that changed since and were not kept: they are taken as they
 * are now, so that nothing is said about them.
 */
export function atStart(start: Start, runDir: string): { tree: Composition; unknown: string[] } {
  const kept: string[] = []
  const present: string[] = []
  const without: string[] = []
  const unknown: string[] = []
  for (const [path, held] of Object.entries(start.dirty)) {
    if (!isFile(path)) continue
    if (!isKept(start, runDir, path)) {
      present.push(path)
      if (contentOf(start.root, path) !== held) unknown.push(path)
    } else if (held === 'absent') without.push(path)
    else kept.push(path)
  }
  return {
    tree: {
      base: start.head,
      from: [
        { folder: keptFolder(runDir), paths: kept },
        { folder: start.root, paths: present },
      ],
      without,
    },
    unknown,
  }
}

/** The tree as it is now, with all that is not ignored. */
export const asItIs = (start: Start, now: { head: string | null; paths: string[] }): Composition => ({
  base: now.head,
  from: [{ folder: start.root, paths: now.paths.filter(isFile) }],
  without: [],
})

/** The tree that a run left. What changed since then and was not committed is taken as it is now, and named. */
export function asLeft(start: Start, left: Left): { tree: Composition; changed: string[] } {
  const present: string[] = []
  const without: string[] = []
  const changed: string[] = []
  for (const [path, held] of Object.entries(left.dirty)) {
    if (!isFile(path)) continue
    if (held === 'absent') without.push(path)
    else present.push(path)
    if (held !== 'absent' && contentOf(start.root, path) !== held) changed.push(path)
  }
  return { tree: { base: left.head, from: [{ folder: start.root, paths: present }], without }, changed }
}
