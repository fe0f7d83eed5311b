import { dirname, join, relative, resolve } from 'node:path'
import type { Workflow } from '../core/table.ts'
import { readHead } from '../git/head.ts'
import { changedBetween, lookAt } from '../git/look.ts'
import { disorderOf } from '../git/watch-head.ts'
import { dropHalves } from '../store/files/atomic.ts'
import { dropNote, readNote, writeNote } from '../store/notes.ts'
import { realPath } from '../store/real-path.ts'
import { tasks } from './build/table.ts'
import { type BuildKit, buildTrade } from './build/workflow.ts'
import { prompt } from './run/table.ts'
import { promptTrade } from './run/workflow.ts'
import type { Plan, StoriesPlan } from './spec.ts'
import { commitWritten } from './stories/commit-file.ts'
import { keptApproval } from './stories/kept-approval.ts'
import { watchReviews } from './stories/review-watch.ts'
import type { GateSnapshot } from './stories/rules/marker.ts'
import { storyFence } from './stories/story-fence.ts'
import { storyMarker } from './stories/story-marker.ts'
import { storyPlace } from './stories/story-place.ts'
import { stories } from './stories/table.ts'
import { takenFrom, whatGitHad } from './stories/taken-approval.ts'
import { storiesTrade } from './stories/workflow.ts'
import type { Trade } from './workflow.ts'

/** The table that a plan is worked off by. */
export function workflowOf(plan: Plan): Workflow {
  switch (plan.workflow) {
    case 'prompt':
      return prompt()
    case 'tasks':
      return tasks({ bugs: plan.settings.maxBugFixes })
    case 'stories':
      return stories(plan.review)
    default:
      return plan satisfies never
  }
}

export type Kit = Omit<BuildKit, 'plan'> & {
  /** The run's own folder. */
  runDir: string
  /** For ralph's own git calls. */
  env: Record<string, string>
}

/** What the plan's workflow adds to a run. */
export function tradeOf(plan: Plan, kit: Kit): Trade {
  switch (plan.workflow) {
    case 'prompt':
      return promptTrade(plan, kit.limits)
    case 'tasks':
      return buildTrade({ ...kit, plan })
    case 'stories':
      return storiesOf(plan, kit)
    default:
      return plan satisfies never
  }
}

/** Held while the first checks run; whoever finds it later knows that nobody has put the stories back. */
export const FENCE = 'fence'

function storiesOf(plan: StoriesPlan, { runDir, env, workflow, limits, run, tell }: Kit): Trade {
  const { start, project } = plan
  const place = () => storyPlace(project, plan)
  for (const folder of [project, join(project, plan.dir), dirname(resolve(project, place()))])
    dropHalves(folder)
  const list = { path: join(project, plan.dir, 'tasks.json'), place: () => resolve(project, place()) }
  const file = () => ({
    env,
    // A folder behind a link may be in a repository of its own.
    paths: [
      join(realPath(dirname(list.path)), 'tasks.json'),
      ...(plan.target === undefined ? [] : [resolve(project, plan.target)]),
    ],
    scratch: runDir,
  })
  const look = async () => start && lookAt(project, env, start.root)
  const note = <T>(name: string) => ({
    read: () => readNote<T>(runDir, name),
    write: (value: T) => writeNote(runDir, name, value),
    drop: () => dropNote(runDir, name),
  })
  return storiesTrade({
    plan,
    workflow,
    limits,
    run,
    tell,
    gate: { ...note<GateSnapshot>('snapshot'), path: join(runDir, 'snapshot.json') },
    refused: note('refused'),
    marker: storyMarker(project, start, env),
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
