import { join } from 'node:path'
import type { Workflow } from '../../core/workflow.ts'
import { prompt } from '../../core/workflows/prompt.ts'
import { stories } from '../../core/workflows/stories.ts'
import { tasks } from '../../core/workflows/tasks.ts'
import { lookAt } from '../../git/look.ts'
import { contentOf } from '../../git/status.ts'
import { dropHalves } from '../../store/atomic.ts'
import { readNote, writeNote } from '../../store/notes.ts'
import type { Plan, StoriesPlan } from '../plan.ts'
import { type BuildKit, buildTrade } from './build-trade.ts'
import { commitWritten } from './commit-file.ts'
import { keptApproval } from './kept-approval.ts'
import { promptTrade } from './prompt-trade.ts'
import { storiesTrade } from './stories-trade.ts'
import { storyMarker } from './story-marker.ts'
import type { Trade } from './trade.ts'

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

const GATE = 'snapshot'
const REFUSED = 'refused'

function storiesOf(plan: StoriesPlan, { runDir, env, workflow, limits, run, tell }: Kit): Trade {
  const { start, project } = plan
  for (const folder of [project, join(project, plan.dir)]) dropHalves(folder)
  return storiesTrade({
    plan,
    workflow,
    limits,
    run,
    tell,
    gate: {
      path: join(runDir, `${GATE}.json`),
      read: () => readNote(runDir, GATE),
      write: snapshot => writeNote(runDir, GATE, snapshot),
    },
    refused: {
      read: () => readNote(runDir, REFUSED) ?? [],
      write: texts => writeNote(runDir, REFUSED, texts),
    },
    marker: storyMarker(project, start, env),
    async uncommitted() {
      const look = start && (await lookAt(project, env, start.root))
      return look?.contents ?? new Map()
    },
    contentOf: path => contentOf(start?.root ?? project, path),
    async commit(file) {
      if (start) return commitWritten({ ...file, project, start, env })
      file.write()
      return { type: 'nothing', why: 'this is no git repository' }
    },
    keptApproval: async story =>
      start &&
      keptApproval({ project, start, env, path: join(plan.dir, 'tasks.json'), scratch: runDir }, story),
  })
}
