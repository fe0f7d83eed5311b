import { join } from 'node:path'
import type { RunEvent, Settled } from '../../core/events.ts'
import { isUncounted } from '../../core/outcome.ts'
import { initial, type Limits, type StageName, standing, type Workflow } from '../../core/table.ts'
import type { Look } from '../../git/look.ts'
import type { StoriesPlan } from '../spec.ts'
import type { Standing, Trade } from '../workflow.ts'
import type { ReviewWatch } from './review-watch.ts'
import { type GateSnapshot, type Marker, snapshotIn } from './rules/marker.ts'
import { storyPrompt } from './rules/prompt.ts'
import { type Repository, repositoryErrors } from './rules/repository.ts'
import { storyClaims, storyTasks } from './rules/review.ts'
import { notOwn, notReviewing } from './rules/review-deeds.ts'
import type { ReviewMode, Snapshot } from './rules/review-rules.ts'
import { personStoryEdits } from './rules/story-edits.ts'
import { type StoryGit, storyCommits } from './story-commits.ts'
import type { StoryFence } from './story-fence.ts'
import { keepStories } from './story-keeper.ts'
import { storyTemplate } from './templates.ts'

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
  git: StoryGit
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
  const commits = storyCommits(kit.git, path, keeper.write)
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
    if (!isUncounted(settled.end) && before) refused = []
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
    const deeds = await kit.reviews.deeds(settled.id)
    const restored = [...why, ...notOwn(settled.task, deeds)]
    const told = [...restored, ...notReviewing(deeds, plan), ...repositoryDeeds()]
    for (const text of told) record({ type: 'warned', at: now(), note: text })
    tellOff(told)
    const intent = run().state.intents[settled.id]
    if (intent?.made || (!intent && !keeper.isStale())) return
    await commits.keep(settled, restored.length > 0 ? 'restore' : 'record', intent, record)
  }

  function repositoryDeeds(): string[] {
    const is = kit.repository()
    if (!is || !plan.start) return []
    const { branch } = plan.start
    return repositoryErrors(stood ?? { branch, disorder: null }, is, [branch, plan.file.branchName])
  }

  return {
    opening(at) {
      const tasks = storyTasks(plan.file)
      const past = personStoryEdits(plan.file, tasks, initial, workflow, { skip })
      const edit: RunEvent = { type: 'edited', at, by: 'person', ...past }
      return { tasks, edits: Object.keys(past).length > 0 ? [edit] : [] }
    },

    async prepare({ step, task, stage }, record) {
      if (stage === 'review') await commits.clearApproval(task.id, step.id, record)
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

const MOST_REFUSED = 20
