import { join } from 'node:path'
import type { RunEvent, Settled } from '../../core/events.ts'
import { isUncounted } from '../../core/outcome.ts'
import { initial, type Limits, type StageName, type StageTable, taskStateOf } from '../../core/table.ts'
import type { Look } from '../../git/look.ts'
import type { Active, Folded, Recorder } from '../workflow.ts'
import type { ReviewWatch } from './review-tracker.ts'
import { type GateSnapshot, type Marker, snapshotIn } from './rules/marker.ts'
import { storyPrompt } from './rules/prompt.ts'
import { type Repository, repositoryErrors } from './rules/repository.ts'
import { storyClaims, storyTasks } from './rules/review.ts'
import type { ReviewMode, Snapshot } from './rules/review-rules.ts'
import { notOwn, notReviewing } from './rules/reviewer-errors.ts'
import { personStoryEdits } from './rules/story-edits.ts'
import type { StoriesSpec } from './spec.ts'
import { type StoryGit, storyCommits } from './story-commits.ts'
import type { StoryFence } from './story-file-guard.ts'
import { keepStories } from './story-file-sync.ts'
import { storyTemplate } from './templates.ts'

/** What a story loop needs of files and git. */
export type StoryLoopOptions = {
  spec: StoriesSpec
  table: StageTable
  limits: Limits
  run(): Folded
  record: Recorder
  /** Keeps what the Stop gate reads, and says where. */
  gate: { path: string; read(): GateSnapshot | null; write(snapshot: GateSnapshot): void }
  marker: { write(marker: Marker): Promise<void>; drop(): void }
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

/** A story loop at work. */
export function storyLoop(options: StoryLoopOptions): Active {
  const { spec, table, limits, run, record, gate } = options
  const dir = join(spec.project, spec.dir)
  const { skip, cap } = spec.review
  const keeper = keepStories(
    options.list,
    spec.file,
    table,
    { skip, cap, verifyCommands: spec.file.verifyCommands ?? [] },
    run,
  )
  /** What earlier iterations were told off for; the next one reads it. */
  let refused = options.refused.read() ?? []
  let before: Snapshot | null = null
  /** The branch before the iteration; what was unfinished before the first is not an agent's to finish. */
  let stood: Repository | null = null
  const path = join(spec.dir, 'tasks.json')
  const commits = storyCommits(options.git, path, keeper.write)
  const now = () => Date.now()
  const warn = (note: string) => record({ type: 'warned', at: now(), note })

  const lowerFence = () => {
    const put = options.fence.down()
    if (put) warn(put)
  }

  const tellOff = (texts: string[]) => {
    refused = [...new Set([...refused, ...texts])].slice(-MOST_REFUSED)
    options.refused.write(refused)
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

  async function apply(settled: Settled, into: Recorder): Promise<void> {
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
    if (edit) into(edit)
    const deeds = await options.reviews.deeds(settled.id)
    const restored = [...why, ...notOwn(settled.task, deeds)]
    const told = [...restored, ...notReviewing(deeds, spec), ...repositoryDeeds()]
    for (const text of told) into({ type: 'warned', at: now(), note: text })
    tellOff(told)
    const intent = run().state.intents[settled.id]
    if (intent?.made || (!intent && !keeper.isStale())) return
    await commits.keep(settled, restored.length > 0 ? 'restore' : 'record', intent, into)
  }

  function repositoryDeeds(): string[] {
    const is = options.repository()
    if (!is || !spec.start) return []
    const { branch } = spec.start
    return repositoryErrors(stood ?? { branch, disorder: null }, is, [branch, spec.file.branchName])
  }

  return {
    initialTasks(at) {
      const tasks = storyTasks(spec.file)
      const past = personStoryEdits(spec.file, tasks, initial, table, { skip })
      const edit: RunEvent = { type: 'edited', at, by: 'person', ...past }
      return { tasks, edits: Object.keys(past).length > 0 ? [edit] : [] }
    },

    async buildPrompt({ step, task, stage, state }, into) {
      if (stage === 'review') await commits.clearApproval(task.id, step.id, into)
      const stands = taskStateOf(table, state, task)
      return storyPrompt(
        storyTemplate(dir),
        {
          iteration: step.n,
          maximum: limits.iterations,
          mode: MODES[stage]!,
          story: task.id,
          cap,
          dir: spec.dir,
        },
        { skip, stands, refused, told: state.told },
      )
    },

    checks({ step }, common) {
      if (!step && run().state.steps === 0) options.fence.up()
      return common
    },

    async claimsAtExit({ step, stage, task }) {
      await options.reviews.end(step.id)
      const { before, after } = keeper.both(task.id)
      const claims = storyClaims(stage, before, after, { skip })
      const isOwn = claims.verdict !== 'approve' || (await options.reviews.isOwn(step.id, task.id))
      return isOwn ? claims : {}
    },

    claims: async () => ({}),

    async adoptEdits() {
      if (Object.keys(run().state.unapplied).length > 0) return []
      lowerFence()
      const { edit, refused: why } = keeper.byPerson(now())
      for (const text of why) warn(text)
      keeper.write()
      return edit ? [edit] : []
    },

    async onAgentStart({ step, stage }) {
      const marker = markerOf(stage)
      before = marker.preIterationSnapshot ?? null
      const stands = options.repository()
      stood = stands && { ...stands, disorder: (stood ?? stands).disorder }
      await options.marker.write(marker)
      const look = await options.look()
      if (stage === 'review' && look) await options.reviews.begin(step.id, look)
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

    apply,

    async onLeave() {
      lowerFence()
      for (const settled of Object.values(run().state.unapplied)) {
        await apply(settled, record)
        // From here on the file is people's again: what differs later is their word.
        record({ type: 'applied', at: now(), id: settled.id })
      }
    },

    close: options.marker.drop,
  }
}

const MOST_REFUSED = 20
