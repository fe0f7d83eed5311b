import { dirname, join } from 'node:path'
import type { Finding, RunEvent, Settled } from '../../core/events.ts'
import { isUncounted, needsChecks } from '../../core/outcome.ts'
import type { Check, CheckedWork, Work } from '../../core/ports.ts'
import { initial, type StageName, type Step, type StepId, taskStateOf } from '../../core/table.ts'
import { readHead } from '../../git/head.ts'
import { GIT_CHECK, lockCheck, repositoryProblem } from '../../git/watch-head.ts'
import { removeTempFiles } from '../../store/files/atomic.ts'
import { isFolderInside } from '../../store/files/inside.ts'
import { pinFolder } from '../../store/files/pinned.ts'
import { readMemo, writeMemoUnsynced } from '../../store/memos.ts'
import type { ListPlace } from '../shared/list-file.ts'
import { type OpenNotes, openNotes, unheardBy, withCorrections } from '../shared/notes.ts'
import { doubtNotes, instructionsFor } from '../shared/prompt-parts.ts'
import type { Active, Context, Recorder } from '../workflow.ts'
import { lookAtTree, reviewExits, reviewStarts, takeTouched } from './review-tracker.ts'
import { changedCodeErrors, type Repository, repositoryErrors } from './rules/iteration-errors.ts'
import { snapshotFrom, withSnapshot } from './rules/marker.ts'
import { storyPrompt } from './rules/prompt.ts'
import { meantBy, storyClaims, storyTasks } from './rules/review.ts'
import type { ReviewMode, ReviewSnapshot } from './rules/review-rules.ts'
import { personStoryEdits } from './rules/story-edits.ts'
import { storyEdit } from './rules/story-request.ts'
import { unspokenVerdict } from './rules/verdict.ts'
import { type StoriesSpec, storyNotes } from './spec.ts'
import { commitAfter, isUncommitted } from './story-commits.ts'
import { restoreSaved, saveStories, storyFilePaths } from './story-file-place.ts'
import { type StoryFileSync, syncStoryFile } from './story-file-sync.ts'
import { storyMarker } from './story-marker.ts'
import { storyTemplate } from './templates.ts'

/** A story loop at work. */
type StoryRun = {
  context: Context<StoriesSpec>
  paths: ListPlace
  file: StoryFileSync
  marker: ReturnType<typeof storyMarker>
  notes: OpenNotes<typeof storyNotes>
  /** The review fields when the last agent started. Null before the first one of this process. */
  before: ReviewSnapshot | null
  /** The branch before the iteration, and the operation that was unfinished before the first: no agent began that one. */
  repositoryBefore: Repository | null
  /** The reasons for failed commits that were already reported. */
  reported: Set<string>
}

/** The memo that the Stop gate reads. */
const GATE_MEMO = 'snapshot'

const MODES: Readonly<Record<StageName, ReviewMode>> = {
  implement: 'implement',
  review: 'review',
  fix: 'review-fix',
}

/** Opens a story loop. What an agent writes into the story file is a claim until ralph has judged it. */
export function openStories(context: Context<StoriesSpec>): Active {
  const { spec, table, runDir, run } = context
  const story = storyRun(context)
  return {
    initialTasks(at) {
      const tasks = storyTasks(spec.file)
      const past = personStoryEdits(spec.file, tasks, initial, table, spec.review)
      const edit: RunEvent = { type: 'edited', at, by: 'person', ...past }
      return { tasks, edits: Object.keys(past).length > 0 ? [edit] : [] }
    },
    buildPrompt: work => buildPrompt(story, work),
    checks: work => checksOf(story, work),
    async claimsAtExit({ step, stage, task }) {
      await reviewExits(context, step.id)
      const { before, after } = story.file.beforeAndAfter(task.id)
      return storyClaims(stage, before, after, spec.review)
    },
    async claims({ step, stage }) {
      if (stage !== 'review') return {}
      return unspokenIn(step) ? { verdict: undefined, note: undefined } : meantBy(step.ended?.claimed ?? {})
    },
    async adoptEdits() {
      if (isPeoples(story)) adopt(story)
    },
    onRequest: request => storyEdit(run().tasks, run().state, table, spec.review, request),
    onResume() {
      // Without a step in flight, the loop adopts edits before it does anything else.
      if (Object.keys(run().state.flight).length > 0 && isPeoples(story)) adopt(story)
    },
    onAgentStart: work => agentStarts(story, work),
    env: () => ({
      RALPH_DIR: join(spec.project, spec.dir),
      RALPH_SNAPSHOT: join(runDir, `${GATE_MEMO}.json`),
    }),
    apply: (settled, record) => apply(story, settled, record),
    onLeave: () => leave(story),
    close: story.marker.drop,
  }
}

function storyRun(context: Context<StoriesSpec>): StoryRun {
  const { spec, env, table, journal, run } = context
  const { project, start } = spec
  const paths = storyFilePaths(project, spec)
  const folders = [dirname(paths.path), dirname(paths.writePath())]
  for (const folder of [project, ...folders.filter(folder => isFolderInside(paths.root, folder))])
    removeTempFiles(folder)
  return {
    context,
    paths,
    file: syncStoryFile({ paths, spec, table, journal, run }),
    marker: storyMarker(pinFolder(project), start, env, note => warn(context, note)),
    notes: openNotes(storyNotes, context),
    before: null,
    repositoryBefore: null,
    reported: new Set(),
  }
}

const warn = ({ record }: Pick<Context, 'record'>, note: string): void =>
  record({ type: 'warned', at: Date.now(), note })

function buildPrompt(
  { context: { spec, table }, notes }: StoryRun,
  { step, task, stage, state }: Work,
): string {
  return storyPrompt(
    storyTemplate(join(spec.project, spec.dir)),
    {
      iteration: step.n,
      maximum: state.limits.iterations,
      mode: MODES[stage]!,
      story: task.id,
      cap: spec.review.cap,
      dir: spec.dir,
    },
    {
      skip: spec.review.skip,
      current: taskStateOf(table, state, task),
      refused: correctionsOf({ notes }).map(({ text }) => text),
      doubts: doubtNotes(state),
      instructions: instructionsFor(state, task.id),
    },
  )
}

function checksOf(
  { context: { spec, runDir, run }, paths }: StoryRun,
  { step, stage, workspace }: CheckedWork,
): Check[] {
  const common = workspace.checks()
  if (!step && run().state.steps === 0 && common.length > 0) saveStories(paths, runDir)
  // Each iteration is to end with a commit. With `scm`, every run has this check.
  const hasGitCheck = common.some(({ name }) => name === GIT_CHECK)
  const lock = spec.start && !hasGitCheck ? lockCheck(spec.start, { project: spec.project }) : null
  const unspoken = step && stage === 'review' ? unspokenIn(step) : null
  return [
    ...(unspoken ? [{ name: unspoken.check, run: async () => ({ finding: unspoken, exit: null }) }] : []),
    ...(lock ? [lock] : []),
    ...common,
  ]
}

const unspokenIn = ({ ended }: Step): Finding | null =>
  ended ? unspokenVerdict(ended.claimed?.verdict, ended.result.text) : null

/** Leaves for hooks and people, and for later, how stories and repository are before the agent works. */
async function agentStarts(story: StoryRun, { step, stage }: Pick<Work, 'step' | 'stage'>): Promise<void> {
  const { context, file, marker } = story
  const { runDir, run } = context
  const { skip: skipReview, cap: reviewCap } = context.spec.review
  const looking = lookAtTree(context)
  // The error is thrown where the tree is awaited.
  looking.catch(() => {})
  await marker.keepOut()
  const before = file.snapshot()
  story.before = before
  const rules = { skipReview, reviewCap, iterationMode: MODES[stage]! }
  const current = repositoryOf(context)
  story.repositoryBefore = current && {
    ...current,
    disorder: (story.repositoryBefore ?? current).disorder,
  }
  const about = {
    timestamp: new Date().toISOString(),
    pid: process.pid,
    max_iterations: run().state.limits.iterations,
    mode: 'direct',
  } as const
  marker.write(withSnapshot({ ...about, ...rules }, before))
  const tree = await looking
  if (stage === 'review' && tree) reviewStarts(context, step.id, tree)
  const dirtyBefore = [...(tree?.contents.keys() ?? [])]
  // After a power cut it may be one of an earlier step, which is known by its id.
  writeMemoUnsynced(runDir, GATE_MEMO, withSnapshot({ ...rules, dirtyBefore, step: step.id }, before))
}

/** The state of the repository. Null outside one. */
const repositoryOf = ({ spec: { start } }: Context<StoriesSpec>): Repository | null =>
  start && { branch: (readHead(start.dirs) ?? start).branch, disorder: repositoryProblem(start.dirs) }

/** Whether nothing in the file is of an agent that was not judged yet. */
function isPeoples(story: StoryRun): boolean {
  const { unapplied, flight } = story.context.run().state
  const judged = judgedIn(story)
  return Object.keys(unapplied).length === 0 && Object.values(flight).every(({ id }) => judged.includes(id))
}

/** Takes over what people changed in the file. */
function adopt({ context, paths, file }: StoryRun): void {
  const restored = restoreSaved(paths, context.runDir)
  if (restored) warn(context, restored)
  const { edit, refused } = file.byPerson(Date.now())
  for (const text of refused) warn(context, text)
  // Recorded first: the file is written from the run's state.
  if (edit) context.record(edit)
  file.write()
}

/** Accepts or refuses what the agent of a step wrote into the file. Returns what was refused. */
function judgeFile(
  { context: { limits, run, runDir }, file, before }: StoryRun,
  { id, stage, task }: Pick<Step, 'id' | 'stage' | 'task'>,
  how: { hasFinished: boolean; isGreen: boolean },
  record: Recorder,
): string[] {
  const known = before ?? snapshotFrom(readMemo(runDir, GATE_MEMO), id)
  const step = { mode: MODES[stage]!, story: task, ...how, before: known }
  const { edit, refused } = file.byAgent(step, limits.additions - run().state.added, Date.now())
  if (edit) record(edit)
  return refused
}

async function apply(story: StoryRun, settled: Settled, record: Recorder): Promise<void> {
  const { context, file } = story
  const { spec, run } = context
  const wasJudged = judgedIn(story).includes(settled.id)
  const hasFinished = settled.end === 'ok'
  const isGreen = hasFinished && settled.findings.every(({ verdict }) => verdict === 'pass')
  const refused = wasJudged ? [] : judgeFile(story, settled, { hasFinished, isGreen }, record)
  const touched = await takeTouched(context, settled.id)
  const texts = [...refused, ...changedCodeErrors(touched, spec), ...newRepositoryErrors(story)]
  for (const note of texts) record({ type: 'warned', at: Date.now(), note })
  // An agent that ended has read the corrections that its prompt had.
  const known = correctionsOf(story)
  addCorrections(story, texts, isUncounted(settled) ? known : unheardBy(known, settled.id))
  const intent = run().state.intents[settled.id]
  const isStale = file.isStale()
  const isDue = wasJudged || isUncommitted(run().state) || isStale
  if (!intent?.made && (intent || isDue)) {
    const how = refused.length > 0 ? 'restore' : 'record'
    await commitAfter(context, settled, how, { write: file.write, record, reported: story.reported })
  } else if (!isStale) return
  file.write()
}

const correctionsOf = ({ notes }: Pick<StoryRun, 'notes'>) => notes.get('corrections') ?? []

function addCorrections(story: StoryRun, texts: string[], known = correctionsOf(story)): void {
  const corrections = withCorrections(known, texts, story.context.run().state.steps)
  if (corrections.length > 0 || correctionsOf(story).length > 0) story.notes.set('corrections', corrections)
}

/** Steps whose checks are still to run, but whose agents' edits were judged when the run stopped. */
const judgedIn = ({ notes }: Pick<StoryRun, 'notes'>): readonly StepId[] => notes.get('judged') ?? []

function newRepositoryErrors({ context, repositoryBefore }: StoryRun): string[] {
  const { start, file } = context.spec
  const current = repositoryOf(context)
  if (!current || !start) return []
  const before = repositoryBefore ?? { branch: start.branch, disorder: null }
  return repositoryErrors(before, current, [start.branch, file.branchName])
}

/** Judges what agents wrote before the run stops, so that any later difference is a person's. */
async function leave(story: StoryRun): Promise<void> {
  const { context, paths, file } = story
  const { run, record, runDir } = context
  const restored = restoreSaved(paths, runDir)
  if (restored) warn(context, restored)
  for (const settled of Object.values(run().state.unapplied)) {
    await apply(story, settled, record)
    record({ type: 'applied', at: Date.now(), id: settled.id })
  }
  // Their checks are still to run; what their agents claim is in the journal.
  for (const step of Object.values(run().state.flight)) {
    if (judgedIn(story).includes(step.id)) continue
    const hasFinished = step.ended !== undefined && needsChecks(step.ended)
    const corrections = judgeFile(story, step, { hasFinished, isGreen: false }, record)
    for (const text of corrections) warn(context, text)
    addCorrections(story, corrections)
    file.write()
    story.notes.set('judged', [...judgedIn(story), step.id])
  }
}
