import { dirname, join, relative } from 'node:path'
import { readHead } from '../../git/head.ts'
import { changedBetween, readTreeState } from '../../git/tree-state.ts'
import { lockCheck, repositoryProblem } from '../../git/watch-head.ts'
import { removeTempFiles } from '../../store/files/atomic.ts'
import { isFolderInside } from '../../store/files/inside.ts'
import { pinFolder } from '../../store/files/pinned.ts'
import { dropNote, readNote, writeNote, writeNoteUnsynced } from '../../store/notes.ts'
import type { Active, Context } from '../workflow.ts'
import { storyLoop } from './active.ts'
import { commitWritten } from './commit-file.ts'
import { trackReviews } from './review-tracker.ts'
import type { StoriesSpec } from './spec.ts'
import { guardStoryFile } from './story-file-guard.ts'
import { storyFilePath, storyFilePaths } from './story-file-path.ts'
import { storyMarker } from './story-marker.ts'

/** The note that exists while the first checks run. If it is still there later, the stories were not restored. */
export const GUARD_NOTE = 'guard'

/** The note that lists steps whose agents' edits of the stories were judged before their checks ran. */
export const JUDGED_NOTE = 'judged'

/** Opens a story loop. Its behaviour is in active.ts; this gives it access to files and git. */
export function openStories(context: Context<StoriesSpec>): Active {
  const { spec, runDir, env, table, limits, run, record } = context
  const { start, project } = spec
  const storyPath = () => storyFilePath(project, spec)
  const list = storyFilePaths(project, spec)
  const folders = [dirname(list.path), dirname(list.writePath())]
  for (const folder of [project, ...folders.filter(folder => isFolderInside(list.root, folder))])
    removeTempFiles(folder)
  const warn = (text: string) => record({ type: 'warned', at: Date.now(), note: text })
  const look = async () => start && readTreeState(project, env, start)
  const note = <T>(name: string) => ({
    read: () => readNote<T>(runDir, name),
    write: (value: T) => writeNote(runDir, name, value),
    drop: () => dropNote(runDir, name),
  })
  return storyLoop({
    spec,
    table,
    limits,
    journal: context.journal,
    run,
    record,
    gate: {
      path: join(runDir, 'snapshot.json'),
      read: note('snapshot').read,
      // After a power cut it may be one of an earlier step, which is known by its id.
      write: json => writeNoteUnsynced(runDir, 'snapshot', json),
    },
    refused: note('refused'),
    judged: note(JUDGED_NOTE),
    marker: storyMarker(pinFolder(project), start, env, warn),
    look,
    reviews: trackReviews(note('review'), async before => {
      const after = await look()
      const paths = after ? await changedBetween(before, after, env) : []
      return paths.map(path => relative(project, join(before.root, path)))
    }),
    repository: () =>
      start && {
        branch: (readHead(start.dirs) ?? start).branch,
        disorder: repositoryProblem(start.dirs),
      },
    lockCheck: () => start && lockCheck(start, { project }),
    guard: guardStoryFile(list, note(GUARD_NOTE)),
    list,
    async commit(change) {
      if (start)
        return commitWritten({ ...change, path: storyPath(), project, start, env, locks: context.locks() })
      change.write()
      return { type: 'nothing' }
    },
  })
}
