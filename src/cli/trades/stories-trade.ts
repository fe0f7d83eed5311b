import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent } from '../../core/events.ts'
import { storyClaims, storyTasks } from '../../core/review.ts'
import type { ReviewMode } from '../../core/review-rules.ts'
import type { GateSnapshot, Marker } from '../../core/stories/marker.ts'
import { storyPrompt } from '../../core/stories/prompt.ts'
import { personStoryEdits } from '../../core/story-edits.ts'
import type { StageName, StepId, Workflow } from '../../core/workflow.ts'
import { initial, type Limits } from '../../core/workflow.ts'
import type { StoriesPlan } from '../plan.ts'
import { template } from '../templates.ts'
import { keepStories } from './story-keeper.ts'
import type { Standing, Trade } from './trade.ts'

type Committed = { from: string | null; to: string } | null

export type StoriesKit = {
  plan: StoriesPlan
  workflow: Workflow
  limits: Limits
  run(): Standing
  tell(event: RunEvent): void
  /** Keeps what the Stop gate reads, and says where. */
  gate: { path: string; read(): GateSnapshot | null; write(snapshot: GateSnapshot): void }
  marker: { write(marker: Marker): void }
  /** What is uncommitted now. */
  dirty(): Promise<string[]>
  /** Writes a file and commits it, if it was clean before; null: nothing was committed. */
  commit(path: string, message: string, write: () => boolean): Promise<Committed>
}

const MODES: Readonly<Record<StageName, ReviewMode>> = {
  implement: 'implement',
  review: 'review',
  fix: 'review-fix',
}

/** `ralph stories`: implement, review by a fresh context, fix. What an agent writes of its own work is a claim. */
export function storiesTrade(kit: StoriesKit): Trade {
  const { plan, workflow, limits, run, tell, gate } = kit
  const dir = join(plan.project, plan.dir)
  const { skip, cap } = plan.review
  const keeper = keepStories(
    dir,
    plan.file,
    workflow,
    { skip, cap, verifyCommands: plan.file.verifyCommands ?? [] },
    run,
  )
  /** What earlier iterations were told off for; the next one reads it. */
  let refused: string[] = []
  const reviewing = new Set<StepId>()
  const now = () => Date.now()
  const warn = (note: string) => tell({ type: 'warned', at: now(), note })

  const markerOf = (stage: StageName): Marker => ({
    timestamp: new Date(now()).toISOString(),
    pid: process.pid,
    max_iterations: limits.iterations,
    mode: 'direct',
    skipReview: skip,
    reviewCap: cap,
    iterationMode: MODES[stage]!,
    preIterationSnapshot: keeper.snapshot(),
  })

  return {
    opening(at) {
      const tasks = storyTasks(plan.file)
      const past = personStoryEdits(plan.file, tasks, initial, workflow, { skip })
      const edit: RunEvent = { type: 'edited', at, by: 'person', ...past }
      return { tasks, edits: Object.keys(past).length > 0 ? [edit] : [] }
    },

    prompt({ step, task, stage, state }) {
      const stands = state.at[task.id]
      return storyPrompt(
        promptOf(dir),
        {
          iteration: step.n,
          maximum: limits.iterations,
          mode: MODES[stage]!,
          story: task.id,
          cap,
          dir: plan.dir,
        },
        { skip, stands, refused, told: state.told },
      )
    },

    checks: (_work, common) => common,

    async claims({ stage, task }) {
      const { before, after } = keeper.both(task.id)
      return storyClaims(stage, before, after, { skip })
    },

    async edits() {
      if (Object.keys(run().state.unapplied).length > 0) return []
      const { edit, refused: why } = keeper.byPerson(now())
      for (const text of why) warn(text)
      keeper.write()
      return edit ? [edit] : []
    },

    async begun({ stage }) {
      refused = []
      const marker = markerOf(stage)
      kit.marker.write(marker)
      const { skipReview, reviewCap, iterationMode, preIterationSnapshot } = marker
      gate.write({
        skipReview,
        reviewCap,
        iterationMode,
        preIterationSnapshot,
        dirtyBefore: await kit.dirty(),
      })
    },

    env: () => ({ RALPH_DIR: dir, RALPH_SNAPSHOT: gate.path }),

    async project(settled, record) {
      const mode = MODES[settled.stage]!
      const before = gate.read()?.preIterationSnapshot ?? null
      const { edit, refused: why } = keeper.byAgent(mode, before, limits.additions - run().state.added, now())
      if (edit) record(edit)
      refused = [...refused, ...why]
      for (const text of why) record({ type: 'warned', at: now(), note: text })
      const what = why.length > 0 ? 'restore' : 'record'
      const made = await kit.commit(
        join(plan.dir, 'tasks.json'),
        `ralph: ${what} ${plan.dir}/tasks.json (${settled.task})`,
        keeper.write,
      )
      if (made) record({ type: 'committed', at: now(), id: settled.id, by: 'ralph', ...made })
    },

    hear(event) {
      if (event.type === 'started' && event.stage === 'review') reviewing.add(event.id)
      if (event.type !== 'changed' || !reviewing.delete(event.id)) return
      const touched = event.paths.filter(path => !isStories(path, plan.dir))
      if (touched.length > 0)
        refused.push(`A review does not change code, but this was changed: ${named(touched)}.`)
    },

    isThere: () => false,
  }
}

const MOST_NAMED = 5

const named = (paths: string[]) =>
  paths.slice(0, MOST_NAMED).join(', ') +
  (paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '')

/** What a review may write: the stories' own folder, and lasting rules. */
const isStories = (path: string, dir: string): boolean =>
  path.startsWith(`${dir}/`) || path === 'CLAUDE.md' || path.startsWith('.claude/')

/** The project's own prompt, read anew for every iteration; ours where there is none. */
function promptOf(dir: string): string {
  try {
    return readFileSync(join(dir, 'prompt.md'), 'utf8')
  } catch {
    return template('prompt-stories.md')
  }
}
