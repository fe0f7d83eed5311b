import { lstatSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { realWithin } from '../../store/real-path.ts'
import type { StoriesSpec } from './spec.ts'

type StoryFileLink = Pick<StoriesSpec, 'dir' | 'target'>

/** The target of tasks.json, if it is a link to a file within the project. */
export function storyTarget(project: string, dir: string): { target?: string } {
  const path = join(dir, 'tasks.json')
  if (!lstatSync(resolve(project, path), { throwIfNoEntry: false })?.isSymbolicLink()) return {}
  const target = realWithin(project, path)
  return target !== null && statSync(resolve(project, target)).isFile() ? { target } : {}
}

/**
 * The path to write the stories to, relative to the project. A link is followed only if it has the same target as when
 * the run began: otherwise an agent could make ralph overwrite any file.
 */
export function storyFilePath(project: string, { dir, target }: StoryFileLink): string {
  const path = join(dir, 'tasks.json')
  return target !== undefined && realWithin(project, path) === target ? target : path
}
