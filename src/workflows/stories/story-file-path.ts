import { lstatSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { UsageError } from '../../core/usage-error.ts'
import { realPath, realWithin } from '../../store/files/paths.ts'
import { pinFolder } from '../../store/files/pinned.ts'
import type { ListPlace } from '../shared/list-file.ts'
import type { StoriesSpec } from './spec.ts'

type StoryFileLinks = Pick<StoriesSpec, 'dir' | 'outside' | 'target'>

/** Where the links of a story folder lead when a run begins: the folder out of the project, or tasks.json within it. */
export function storyLinks(project: string, dir: string): Pick<StoriesSpec, 'outside' | 'target'> {
  if (realWithin(project, dir) === null) return { outside: realPath(resolve(project, dir)) }
  const path = join(dir, 'tasks.json')
  if (!lstatSync(resolve(project, path), { throwIfNoEntry: false })?.isSymbolicLink()) return {}
  const target = realWithin(project, path)
  return target !== null && statSync(resolve(project, target)).isFile() ? { target } : {}
}

/**
 * The path to write the stories to, relative to the project. A link is followed only if it has the same target as when
 * the run began: otherwise an agent could make ralph overwrite any file.
 */
export function storyFilePath(project: string, { dir, target }: StoryFileLinks): string {
  const path = join(dir, 'tasks.json')
  return target !== undefined && realWithin(project, path) === target ? target : path
}

/** A folder outside the project is used only if it was the one when the run began. */
export function storyFilePaths(project: string, links: StoryFileLinks): ListPlace {
  const { dir, outside } = links
  if (outside !== undefined) {
    const path = join(outside, 'tasks.json')
    return { root: pinFolder(outside), path, writePath: () => path }
  }
  if (realWithin(project, dir) === null)
    throw new UsageError(
      `${dir} leads out of the project, and did not when the run began; put the folder back in its place`,
    )
  return {
    root: pinFolder(project),
    path: join(project, dir, 'tasks.json'),
    writePath: () => resolve(project, storyFilePath(project, links)),
  }
}
