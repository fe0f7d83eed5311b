import { lstatSync, rmSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseJson } from '../../core/json.ts'
import { UsageError } from '../../core/usage-error.ts'
import { actInside, forceReplaceFile, keepBroken } from '../../store/files/inside.ts'
import { realPath, realWithin } from '../../store/files/paths.ts'
import { pinFolder } from '../../store/files/pinned.ts'
import { LIMITS, textAt } from '../../store/files/read.ts'
import { dropMemo, readMemo, writeMemo } from '../../store/memos.ts'
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

// Protects the story file during the checks before the first iteration: what they write is not a person's edit.

/** The memo that exists while the first checks run. If it is still there later, the stories were not restored. */
export const GUARD_MEMO = 'guard'

type SavedStories = { text: string | null }

/** Saves the file as it is, so that it can be restored after a crash too. */
export function saveStories({ path }: ListPlace, runDir: string): void {
  if (readMemo(runDir, GUARD_MEMO)) return
  writeMemo(runDir, GUARD_MEMO, { text: textAt(path, { limit: LIMITS.text }) } satisfies SavedStories)
}

/** Restores the file if it changed since, and returns a sentence about it. */
export function restoreSaved({ root, path, writePath }: ListPlace, runDir: string): string | null {
  const saved = readMemo<SavedStories>(runDir, GUARD_MEMO)
  if (!saved) return null
  const found = textAt(path, { limit: LIMITS.text })
  const isSame = found === saved.text || normalized(found) === normalized(saved.text)
  const kept = isSame || found === null ? '' : `; what was there is kept as ${keepBroken(root, path, found)}`
  if (!isSame && saved.text !== null) forceReplaceFile(root, writePath(), saved.text)
  if (!isSame && saved.text === null)
    actInside(root, path, entry => rmSync(entry, { recursive: true, force: true }))
  dropMemo(runDir, GUARD_MEMO)
  return isSame ? null : `tasks.json was changed while the first checks ran, and is put back${kept}`
}

/** A check may format the file, so only its meaning is compared. */
function normalized(text: string | null): string | null {
  try {
    return text === null ? null : JSON.stringify(parseJson(text))
  } catch {
    return text
  }
}
