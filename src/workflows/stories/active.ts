import { join } from 'node:path'
import type { Finding, RunEvent, Settled } from '../../core/events.ts'
import type { Folded } from '../../core/evolve.ts'
import { isUncounted, needsChecks } from '../../core/outcome.ts'
import type { Check } from '../../core/ports.ts'
import {
  initial,
  type Limits,
  type StageName,
  type StageTable,
  type Step,
  type StepId,
  taskStateOf,
} from '../../core/table.ts'
import { isSameList } from '../../core/task.ts'
import type { TreeState } from '../../git/tree-state.ts'
import { GIT_CHECK } from '../../git/watch-head.ts'
import type { ListPlace } from '../shared/list-file.ts'
import { doubtNotes, instructionsFor } from '../shared/prompt-parts.ts'
import type { Active, Recorder } from '../workflow.ts'
import type { ReviewTracker } from './review-tracker.ts'
import { type Marker, snapshotFrom, withSnapshot } from './rules/marker.ts'
import { storyPrompt } from './rules/prompt.ts'
import { type Repository, repositoryErrors } from './rules/repository.ts'
import { meantBy, storyClaims, storyTasks } from './rules/review.ts'
import type { ReviewMode, ReviewSnapshot } from './rules/review-rules.ts'
import { changedCodeErrors } from './rules/reviewer-errors.ts'
import { personStoryEdits } from './rules/story-edits.ts'
import { storyEdit } from './rules/story-request.ts'
import { unspokenVerdict } from './rules/verdict.ts'
import type { StoriesSpec } from './spec.ts'
import { type CommitStories, storyCommits } from './story-commits.ts'
import type { StoryFileGuard } from './story-file-guard.ts'
import { syncStoryFile } from './story-file-sync.ts'
import { storyTemplate } from './templates.ts'

/** The access to files and git that a story loop needs. */
export type StoryLoopOptions = {
  spec: StoriesSpec
  table: StageTable
  limits: Limits
  journal(): readonly RunEvent[]
  run(): Folded
  record: Recorder
  /** The snapshot that the Stop gate reads, and its path. It is written in JSON. */
  gate: { path: string; read(): unknown; write(json: string): void }
  marker: { keepOut(): Promise<void>; write(json: string): void; drop(): void }
  /** The corrections of earlier iterations, stored so that a crash does not lose them. */
  refused: { read(): string[] | null; write(texts: string[]): void }
  /** The steps whose agents' edits were judged before their checks ran. */
  judged: { read(): StepId[] | null; write(ids: StepId[]): void }
  /** The tree as it is; null outside a repository, or if git cannot tell. */
  look(): Promise<TreeState | null>
  /** The state of the repository; null outside one. */
  repository(): Repository | null
  /** The check that fails because of git's locks; null if there are none now. */
  lockCheck(): Check | null
  reviews: ReviewTracker
  guard: StoryFileGuard
  list: ListPlace
  commit: CommitStories
}

const MODES: Readonly<Record<StageName, ReviewMode>> = {
  implement: 'implement',
  review: 'review',
  fix: 'review-fix',
}

/** The story loop of one run. */
export function storyLoop(options: StoryLoopOptions): Active {
  const { spec, table, limits, run, record, gate } = options
  const dir = join(spec.project, spec.dir)
  const { skip, cap } = spec.review
  const storyFile = syncStoryFile({
    paths: options.list,
    spec,
    table,
    journal: options.journal,
    run,
  })
  /** Steps whose checks are still to run, but whose agents' edits were judged when the run stopped. */
  const judged = new Set(options.judged.read() ?? [])
  /** The corrections of earlier iterations, for the next prompt. */
  let refused = options.refused.read() ?? []
  let stored = refused
  let before: ReviewSnapshot | null = null
  /** The branch before the iteration, and the operation that was unfinished before the first: no agent began that one. */
  let repositoryBefore: Repository | null = null
  const path = join(spec.dir, 'tasks.json')
  const commits = storyCommits(options.commit, path, {
    write: storyFile.write,
    doubts: () => run().state.doubts,
  })
  const now = () => Date.now()
  const warn = (note: string) => record({ type: 'warned', at: now(), note })

  const restoreStoryFile = () => {
    const restored = options.guard.restore()
    if (restored) warn(restored)
  }

  const addCorrections = (texts: string[]) => {
    refused = [...new Set([...refused, ...texts])].slice(-MOST_CORRECTIONS)
    if (isSameList(refused, stored)) return
    options.refused.write(refused)
    stored = refused
  }

  const createMarker = (stage: StageName): Marker => ({
    timestamp: new Date(now()).toISOString(),
    pid: process.pid,
    max_iterations: run().state.limits.iterations,
    mode: 'direct',
    skipReview: skip,
    reviewCap: cap,
    iterationMode: MODES[stage]!,
  })

  /** Accepts or refuses what the agent of a step wrote into the file. Returns what was refused. */
  function judgeFile(
    { id, stage, task }: Pick<Step, 'id' | 'stage' | 'task'>,
    how: { hasFinished: boolean; isGreen: boolean },
    recordEvent: Recorder,
  ): string[] {
    const { edit, refused: why } = storyFile.byAgent(
      { mode: MODES[stage]!, story: task, ...how, before: before ?? snapshotFrom(gate.read(), id) },
      limits.additions - run().state.added,
      now(),
    )
    if (edit) recordEvent(edit)
    return why
  }

  async function apply(settled: Settled, recordEvent: Recorder): Promise<void> {
    // This agent ended, so it has read the earlier corrections.
    if (!isUncounted(settled) && before) refused = []
    const wasJudged = judged.has(settled.id)
    const hasFinished = settled.end === 'ok'
    const isGreen = hasFinished && settled.findings.every(({ verdict }) => verdict === 'pass')
    const why = wasJudged ? [] : judgeFile(settled, { hasFinished, isGreen }, recordEvent)
    const touched = await options.reviews.takeTouched(settled.id)
    const corrections = [...why, ...changedCodeErrors(touched, spec), ...newRepositoryErrors()]
    for (const text of corrections) recordEvent({ type: 'warned', at: now(), note: text })
    addCorrections(corrections)
    const intent = run().state.intents[settled.id]
    const isStale = storyFile.isStale()
    const isDue = wasJudged || commits.isUncommitted() || isStale
    if (!intent?.made && (intent || isDue))
      await commits.commitAfter(settled, why.length > 0 ? 'restore' : 'record', intent, recordEvent)
    else if (!isStale) return
    storyFile.write()
  }

  /** Whether nothing in the file is of an agent that was not judged yet. */
  const isPeoples = () => {
    const { unapplied, flight } = run().state
    return Object.keys(unapplied).length === 0 && Object.values(flight).every(({ id }) => judged.has(id))
  }

  function adopt(): void {
    restoreStoryFile()
    const { edit, refused: why } = storyFile.byPerson(now())
    for (const text of why) warn(text)
    // Recorded first: the file is written from the run's state.
    if (edit) record(edit)
    storyFile.write()
  }

  function newRepositoryErrors(): string[] {
    const current = options.repository()
    if (!current || !spec.start) return []
    const { branch } = spec.start
    const before = repositoryBefore ?? { branch, disorder: null }
    return repositoryErrors(before, current, [branch, spec.file.branchName])
  }

  return {
    initialTasks(at) {
      const tasks = storyTasks(spec.file)
      const past = personStoryEdits(spec.file, tasks, initial, table, { skip })
      const edit: RunEvent = { type: 'edited', at, by: 'person', ...past }
      return { tasks, edits: Object.keys(past).length > 0 ? [edit] : [] }
    },

    buildPrompt({ step, task, stage, state }) {
      const current = taskStateOf(table, state, task)
      return storyPrompt(
        storyTemplate(dir),
        {
          iteration: step.n,
          maximum: state.limits.iterations,
          mode: MODES[stage]!,
          story: task.id,
          cap,
          dir: spec.dir,
        },
        { skip, current, refused, doubts: doubtNotes(state), instructions: instructionsFor(state, task.id) },
      )
    },

    checks({ step, stage }, common) {
      if (!step && run().state.steps === 0 && common.length > 0) options.guard.save()
      // Each iteration is to end with a commit. With `scm`, every run has this check.
      const lock = common.some(({ name }) => name === GIT_CHECK) ? null : options.lockCheck()
      const unspoken = step && stage === 'review' ? unspokenIn(step) : null
      return [
        ...(unspoken ? [{ name: unspoken.check, run: async () => ({ finding: unspoken, exit: null }) }] : []),
        ...(lock ? [lock] : []),
        ...common,
      ]
    },

    async claimsAtExit({ step, stage, task }) {
      await options.reviews.onExit(step.id)
      const { before, after } = storyFile.beforeAndAfter(task.id)
      return storyClaims(stage, before, after, { skip })
    },

    async claims({ step, stage }) {
      if (stage !== 'review') return {}
      return unspokenIn(step) ? { verdict: undefined, note: undefined } : meantBy(step.ended?.claimed ?? {})
    },

    async adoptEdits() {
      if (isPeoples()) adopt()
    },

    onRequest: request => storyEdit(run().tasks, run().state, table, { skip }, request),

    onResume() {
      // Without a step in flight, the loop adopts edits before it does anything else.
      if (Object.keys(run().state.flight).length > 0 && isPeoples()) adopt()
    },

    async onAgentStart({ step, stage }) {
      const looking = options.look()
      // Whoever awaits it gets the error.
      looking.catch(() => {})
      await options.marker.keepOut()
      before = storyFile.snapshot()
      const marker = createMarker(stage)
      const current = options.repository()
      repositoryBefore = current && { ...current, disorder: (repositoryBefore ?? current).disorder }
      options.marker.write(withSnapshot(marker, before))
      const tree = await looking
      if (stage === 'review' && tree) options.reviews.onStart(step.id, tree)
      const { skipReview, reviewCap, iterationMode } = marker
      const dirtyBefore = [...(tree?.contents.keys() ?? [])]
      gate.write(withSnapshot({ skipReview, reviewCap, iterationMode, dirtyBefore, step: step.id }, before))
    },

    env: () => ({ RALPH_DIR: dir, RALPH_SNAPSHOT: gate.path }),

    apply,

    async onLeave() {
      restoreStoryFile()
      for (const settled of Object.values(run().state.unapplied)) {
        await apply(settled, record)
        // From now on only people edit the file, so any later difference is theirs.
        record({ type: 'applied', at: now(), id: settled.id })
      }
      // Their checks are still to run; what their agents claim is in the journal.
      for (const step of Object.values(run().state.flight)) {
        if (judged.has(step.id)) continue
        const hasFinished = step.ended !== undefined && needsChecks(step.ended)
        const corrections = judgeFile(step, { hasFinished, isGreen: false }, record)
        for (const text of corrections) warn(text)
        addCorrections(corrections)
        storyFile.write()
        options.judged.write([...judged.add(step.id)])
      }
    },

    close: options.marker.drop,
  }
}

const MOST_CORRECTIONS = 20

const unspokenIn = ({ ended }: Step): Finding | null =>
  ended ? unspokenVerdict(ended.claimed?.verdict, ended.result.text) : null
