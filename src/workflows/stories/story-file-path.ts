import { lstatSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { realWithin } from '../../store/real-path.ts'
import type { StoriesSpec } from './spec.ts'

type Placed = Pick<StoriesSpec, 'dir' | 'target'>

/** Where tasks.json leads, if it is a link to a file within the project. */
export function storyTarget(project: string, dir: string): { target?: string } {
  const path = join(dir, 'tasks.json')
  if (!lstatSync(resolve(project, path), { throwIfNoEntry: false })?.isSymbolicLink()) return {}
  const target = realWithin(project, path)
  return target !== null && statSync(resolve(project, target)).isFile() ? { target } : {}
}

/**
 * Where the stories are to be written, as seen from the project. A link is followed if it leads where it did when the
 * run began: an agent that makes another has no file overwritten by it.
 */
export function storyPlace(project: string, { dir, target }: Placed): string {
  const path = join(dir, 'tasks.json')
  return target !== undefined && realWithin(project, path) === target ? target : path
}
