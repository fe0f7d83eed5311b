import { join } from 'node:path'
import type { RunEvent, Settled } from '../../core/events.ts'
import { CannotGoOn } from '../../core/ports.ts'
import { storyClaims, storyTasks } from '../../core/review.ts'
import type { ReviewMode, Snapshot } from '../../core/review-rules.ts'
import { type GateSnapshot, type Marker, snapshotIn } from '../../core/stories/marker.ts'
import { storyPrompt } from '../../core/stories/prompt.ts'
import { type Repository, repositoryErrors } from '../../core/stories/repository.ts'
import { personStoryEdits } from '../../core/story-edits.ts'
import type { TaskId } from '../../core/task.ts'
import {
  type Intent,
  initial,
  type Limits,
  type StageName,
  type StepId,
  standing,
  type Workflow,
} from '../../core/workflow.ts'
import type { Look } from '../../git/look.ts'
import type { StoriesPlan } from '../plan.ts'
import { storyTemplate } from '../templates.ts'
import type { Committed } from './commit-file.ts'
import type { ReviewWatch } from './review-watch.ts'
import type { StoryFence } from './story-fence.ts'
import { keepStories } from './story-keeper.ts'
import type { Standing, Trade } from './trade.ts'

export type StoriesKit = {
  plan: StoriesPlan
  workflow: Workflow
  limits: Limits
  run(): Standing
  tell(event: RunEvent): void
  /** Keeps what the Stop gate reads, and says where. */
  gate: { path: string; read(): GateSnapshot | null; write(snapshot: GateSnapshot): void }
  marker: { write(marker: Marker): Promise<void> }
  /** What earlier iterations were told off for, as far as a crash must not lose it. */
  refused: { read(): string[] | null; write(texts: string[]): void }
  /** The tree as it is; null where it cannot be told. */
  look(): Promise<Look | null>
  /** How the repository stands; null outside one. */
  repository(): Repository | null
  reviews: ReviewWatch
  fence: StoryFence
  /** The story file, and where to write it. */
  list: { path: string; place(): string }
  /** Writes a file and commits it. */
  commit(file: {
    path: string
    message: string
    intent: Intent | undefined
    intend(parent: string | null): void
    write(): void
  }): Promise<Committed>
  /** Where git keeps an approval of this story; null: nowhere. */
  keptApproval(story: TaskId): Promise<string | null>
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
    kit.list,
    plan.file,
    workflow,
    { skip, cap, verifyCommands: plan.file.verifyCommands ?? [] },
    run,
  )
  /** What earlier iterations were told off for; the next one reads it. */
  let refused = kit.refused.read() ?? []
  let before: Snapshot | null = null
  /** The branch before the iteration; what was unfinished before the first is not an agent's to finish. */
  let stood: Repository | null = null
  const path = join(plan.dir, 'tasks.json')
  /** Why the file was left uncommitted, as far as it was told. */
  const whyLeft = new Set<string>()
  const now = () => Date.now()
  const warn = (note: string) => tell({ type: 'warned', at: now(), note })

  const lowerFence = () => {
    const put = kit.fence.down()
    if (put) warn(put)
  }

  const tellOff = (texts: string[]) => {
    refused = [...new Set([...refused, ...texts])].slice(-MOST_REFUSED)
    kit.refused.write(refused)
  }

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

  async function project(settled: Settled, record: (event: RunEvent) => void): Promise<void> {
    // Whoever came to an end has read what was told before.
    if (settled.end !== 'interrupted' && settled.end !== 'limited' && before) refused = []
    const { edit, refused: why } = keeper.byAgent(
      {
        mode: MODES[settled.stage]!,
        story: settled.task,
        isOver: settled.end === 'ok',
        before: before ?? snapshotIn(gate.read()),
      },
      limits.additions - run().state.added,
      now(),
    )
    if (edit) record(edit)
    const { id } = settled
    const { touched, from } = await kit.reviews.deeds(id)
    const taken = from === null ? [] : [notOwn(settled.task, from)]
    const deeds = [...why, ...taken, ...reviewErrors(touched, plan), ...repositoryDeeds()]
    for (const text of deeds) record({ type: 'warned', at: now(), note: text })
    tellOff(deeds)
    const intent = run().state.intents[id]
    if (intent?.made || (!intent && !keeper.isStale())) return
    const message =
      intent?.message ??
      `ralph: ${why.length + taken.length > 0 ? 'restore' : 'record'} ${path} (${settled.task})`
    const intend = (parent: string | null) => record({ type: 'committing', at: now(), id, parent, message })
    const done = await kit.commit({ path, message, intent, intend, write: keeper.write })
    if (done.type === 'made')
      record({ type: 'committed', at: now(), id, by: 'ralph', from: done.from, to: done.to })
    if (done.type === 'failed' && !whyLeft.has(done.why)) {
      whyLeft.add(done.why)
      record({ type: 'warned', at: now(), note: `${path} is left uncommitted: ${done.why}` })
    }
  }

  function repositoryDeeds(): string[] {
    const is = kit.repository()
    if (!is || !plan.start) return []
    const { branch } = plan.start
    return repositoryErrors(stood ?? { branch, disorder: null }, is, [branch, plan.file.branchName])
  }

  /** An approval that git keeps, whoever put it there, must not be at hand for a review to bring back. */
  async function clearApproval(story: TaskId, id: StepId, record: (event: RunEvent) => void): Promise<void> {
    if ((await kit.keptApproval(story)) === null) return
    const message = `ralph: restore ${path} (${story})`
    const done = await kit.commit({ path, message, intent: undefined, intend() {}, write: keeper.write })
    if (done.type === 'made')
      record({ type: 'committed', at: now(), id, by: 'ralph', from: done.from, to: done.to })
    const place = await kit.keptApproval(story)
    if (place === null) return
    const why = done.type === 'made' ? 'it changed again at once' : done.why
    throw new CannotGoOn(
      `${place} has ${path} with ${story} approved, which no review did, and the next one could bring that back; what the file itself says is not committed: ${why}. Commit it, then: ralph resume`,
    )
  }

  return {
    opening(at) {
      const tasks = storyTasks(plan.file)
      const past = personStoryEdits(plan.file, tasks, initial, workflow, { skip })
      const edit: RunEvent = { type: 'edited', at, by: 'person', ...past }
      return { tasks, edits: Object.keys(past).length > 0 ? [edit] : [] }
    },

    async prepare({ step, task, stage }, record) {
      if (stage === 'review') await clearApproval(task.id, step.id, record)
    },

    prompt({ step, task, stage, state }) {
      const stands = standing(workflow, state, task)
      return storyPrompt(
        storyTemplate(dir),
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

    checks({ step }, common) {
      if (!step && run().state.steps === 0) kit.fence.up()
      return common
    },

    async witness({ step, stage, task }) {
      await kit.reviews.end(step.id)
      const { before, after } = keeper.both(task.id)
      const claims = storyClaims(stage, before, after, { skip })
      const isOwn = claims.verdict !== 'approve' || (await kit.reviews.isOwn(step.id, task.id))
      return isOwn ? claims : {}
    },

    claims: async () => ({}),

    async edits() {
      if (Object.keys(run().state.unapplied).length > 0) return []
      lowerFence()
      const { edit, refused: why } = keeper.byPerson(now())
      for (const text of why) warn(text)
      keeper.write()
      return edit ? [edit] : []
    },

    async begun({ step, stage }) {
      const marker = markerOf(stage)
      before = marker.preIterationSnapshot ?? null
      const stands = kit.repository()
      stood = stands && { ...stands, disorder: (stood ?? stands).disorder }
      await kit.marker.write(marker)
      const look = await kit.look()
      if (stage === 'review' && look) await kit.reviews.begin(step.id, look)
      const { skipReview, reviewCap, iterationMode, preIterationSnapshot } = marker
      gate.write({
        skipReview,
        reviewCap,
        iterationMode,
        preIterationSnapshot,
        dirtyBefore: [...(look?.contents.keys() ?? [])],
      })
    },

    env: () => ({ RALPH_DIR: dir, RALPH_SNAPSHOT: gate.path }),

    project,

    async leave() {
      lowerFence()
      for (const settled of Object.values(run().state.unapplied)) {
        await project(settled, tell)
        // From here on the file is people's again: what differs later is their word.
        tell({ type: 'applied', at: now(), id: settled.id })
      }
    },

    hear() {},

    isThere: () => false,
  }
}

const notOwn = (story: TaskId, from: string) =>
  `A review gives a verdict of its own, but this one took the file from ${from}, where story ${story} was approved before. That is no approval; say what you found yourself.`

function reviewErrors(touched: string[], { dir, target }: StoriesPlan): string[] {
  const code = touched.filter(path => path !== target && !isStories(path, dir))
  return code.length === 0 ? [] : [`A review does not change code, but this one did: ${named(code)}.`]
}

const MOST_NAMED = 5
const MOST_REFUSED = 20

const named = (paths: string[]) =>
  paths.slice(0, MOST_NAMED).join(', ') +
  (paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '')

/** What a review may write: the stories' own folder, and lasting rules. */
const isStories = (path: string, dir: string): boolean =>
  path.startsWith(`${dir}/`) || path === 'CLAUDE.md' || path.startsWith('.claude/')
