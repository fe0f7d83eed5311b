import { dirname, join, relative, resolve } from 'node:path'
import { readHead } from '../../git/head.ts'
import { changedBetween, lookAt } from '../../git/look.ts'
import { disorderOf } from '../../git/watch-head.ts'
import { dropHalves } from '../../store/files/atomic.ts'
import { dropNote, readNote, writeNote } from '../../store/notes.ts'
import { realPath } from '../../store/real-path.ts'
import type { Active, Context } from '../workflow.ts'
import { storyLoop } from './active.ts'
import { keptApproval } from './approval-in-git.ts'
import { commitWritten } from './commit-file.ts'
import { takenFrom, whatGitHad } from './copied-approval.ts'
import { watchReviews } from './review-tracker.ts'
import type { GateSnapshot } from './rules/marker.ts'
import type { StoriesSpec } from './spec.ts'
import { storyFence } from './story-file-guard.ts'
import { storyPlace } from './story-file-path.ts'
import { dropMarker, storyMarker } from './story-marker.ts'

/** Held while the first checks run; whoever finds it later knows that nobody has put the stories back. */
export const FENCE = 'fence'

/** Opens a story loop: what it does is in active.ts, what that needs of files and git is put together here. */
export function openStories(context: Context<StoriesSpec>): Active {
  const { spec, runDir, env, table, limits, run, record } = context
  const { start, project } = spec
  const place = () => storyPlace(project, spec)
  for (const folder of [project, join(project, spec.dir), dirname(resolve(project, place()))])
    dropHalves(folder)
  const list = { path: join(project, spec.dir, 'tasks.json'), place: () => resolve(project, place()) }
  const file = () => ({
    env,
    // A folder behind a link may be in a repository of its own.
    paths: [
      join(realPath(dirname(list.path)), 'tasks.json'),
      ...(spec.target === undefined ? [] : [resolve(project, spec.target)]),
    ],
    scratch: runDir,
  })
  const look = async () => start && lookAt(project, env, start.root)
  const note = <T>(name: string) => ({
    read: () => readNote<T>(runDir, name),
    write: (value: T) => writeNote(runDir, name, value),
    drop: () => dropNote(runDir, name),
  })
  return storyLoop({
    spec,
    table,
    limits,
    run,
    record,
    gate: { ...note<GateSnapshot>('snapshot'), path: join(runDir, 'snapshot.json') },
    refused: note('refused'),
    marker: { ...storyMarker(project, start, env), drop: () => dropMarker(project) },
    look,
    reviews: watchReviews(note('review'), {
      async changedSince(before) {
        const after = await look()
        const paths = after ? await changedBetween(before, after, env) : []
        return paths.map(path => relative(project, join(before.root, path)))
      },
      had: async () => (start ? whatGitHad({ start, env }) : { head: null, refs: [] }),
      takenFrom: async (had, story) => start && takenFrom({ ...file(), start }, had, story),
    }),
    repository: () =>
      start && {
        branch: (readHead(start.dirs) ?? start).branch,
        disorder: disorderOf(start.dirs),
      },
    fence: storyFence(list, note(FENCE)),
    list,
    git: {
      async commit(change) {
        if (start) return commitWritten({ ...change, path: place(), project, start, env })
        change.write()
        return { type: 'nothing', why: 'there was no git repository when the run began' }
      },
      keptApproval: story => keptApproval({ ...file(), start }, story),
    },
  })
}
