import { listPaths } from '../../../core/format.ts'
import { parseJson } from '../../../core/json.ts'
import { byId } from '../../../core/task.ts'
import { snapshotOf } from './marker.ts'
import {
  flawText,
  invariantFlaws,
  type ReviewMode,
  type ReviewSnapshot,
  transitionFlaws,
} from './review-rules.ts'
import { errorIn, readStories, type StoriesFile } from './story-file.ts'
import { spokenVerdict, VERDICT_REQUEST } from './verdict.ts'

/** The rules of the gate. Ralph writes them before every iteration. */
export type GateRules = {
  mode: ReviewMode | null
  skipReview: boolean
  reviewCap: number
  before: ReviewSnapshot | null
  /** Paths that were not committed when the iteration began. */
  dirtyBefore: string[]
}

const REVIEW_CAP = 5

/** Reads what ralph wrote. Missing or invalid parts are left out, and the gate then checks less. */
export function readGateRules(json: unknown): GateRules {
  const { iterationMode, skipReview, reviewCap, preIterationSnapshot, dirtyBefore } = asObject(json) ?? {}
  return {
    mode: isMode(iterationMode) ? iterationMode : null,
    skipReview: skipReview === true,
    reviewCap: Number.isInteger(reviewCap) && (reviewCap as number) > 0 ? (reviewCap as number) : REVIEW_CAP,
    before: readSnapshot(preIterationSnapshot),
    dirtyBefore: Array.isArray(dirtyBefore) ? dirtyBefore.filter(path => typeof path === 'string') : [],
  }
}

export type GateInput = {
  /** The stories' folder, as the agent knows it. */
  folder: string
  /** The text of tasks.json, or why it cannot be read. Null if there is no such file. */
  tasks: string | { unreadable: string } | null
  /** What `git status --porcelain -z` lists. Null outside a repository. */
  status: string | null
  /** The agent's last message, where its words count. */
  message?: string
}

export type GateVerdict = { errors: string[]; warnings: string[] }

/** Decides whether an iteration may end. All errors are reported at once, so that the agent is blocked less often. */
export function judgeStop(rules: GateRules, input: GateInput): GateVerdict {
  const read = readTasks(input)
  const uncommitted = uncommittedErrors(rules, input)
  if ('errors' in read) return { errors: [...read.errors, ...uncommitted], warnings: [] }
  if (rules.skipReview) return { errors: uncommitted, warnings: [] }
  const { mode, before, reviewCap } = rules
  const invariants = invariantFlaws(read.file, reviewCap).map(flawText)
  if (mode === null || before === null)
    return { errors: [...invariants, ...uncommitted], warnings: [NO_SNAPSHOT] }
  const transitions = transitionFlaws(mode, before, read.file).map(flawText)
  const unspoken = mode === 'review' ? unspokenErrors(before, read.file, input.message) : []
  return {
    errors: [...invariants, ...transitions, ...unspoken, ...uncommitted],
    warnings: [],
  }
}

/** The story that waited for review and has a verdict now; the agent's message must say the same. */
function unspokenErrors(before: ReviewSnapshot, { userStories }: StoriesFile, message?: string): string[] {
  const known = byId(before)
  const reviewed = userStories.find(
    ({ id, reviewStatus }) =>
      known.get(id)?.reviewStatus === 'needs_review' &&
      (reviewStatus === 'approved' || reviewStatus === 'changes_requested'),
  )
  if (!reviewed || message === undefined) return []
  const written = reviewed.reviewStatus === 'approved' ? 'approve' : 'reject'
  return spokenVerdict(message) === written ? [] : [VERDICT_REQUEST]
}

const NO_SNAPSHOT =
  'there is no snapshot from before the iteration: transitions of the review fields were not checked, only their state'

function readTasks({ folder, tasks }: GateInput): { file: StoriesFile } | { errors: string[] } {
  if (tasks === null) return { errors: [`${folder}/tasks.json does not exist.`] }
  if (typeof tasks === 'object')
    return {
      errors: [
        `${folder}/tasks.json cannot be read: ${tasks.unreadable}. Remove what is there and put the file back.`,
      ],
    }
  let json: unknown
  try {
    json = parseJson(tasks)
  } catch (error) {
    return { errors: [`${folder}/tasks.json is not valid JSON: ${(error as Error).message}`] }
  }
  const read = readStories(json)
  return 'file' in read ? read : { errors: read.errors.map(error => errorIn(folder, error)) }
}

const MOST_SHOWN = 10

function uncommittedErrors({ dirtyBefore }: GateRules, { folder, status }: GateInput): string[] {
  const earlier = new Set(dirtyBefore)
  const dirty = dirtyPaths(status ?? '').filter(path => !isRalphFile(path))
  const paths = dirty.filter(path => !earlier.has(path))
  if (paths.length === 0) return []
  const kept = dirty.filter(path => earlier.has(path))
  const leaveAlone =
    kept.length === 0
      ? ''
      : `\nLeave alone what was uncommitted before this iteration: ${listPaths(kept, MOST_SHOWN)}.`
  return [
    `There are uncommitted changes: ${listPaths(paths, MOST_SHOWN)}.
1. Update ${folder}/progress.txt with what was accomplished + learnings
2. Consider if any lasting patterns belong in CLAUDE.md or .claude/rules/
3. Commit ALL changes including progress.txt and tasks.json updates${leaveAlone}`,
  ]
}

/** The paths in the output of `git status --porcelain -z`. A rename gives both its names. */
function dirtyPaths(status: string): string[] {
  const entries = status.split('\0')
  const paths: string[] = []
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i]!
    if (entry === '') continue
    paths.push(entry.slice(3))
    if (/[RC]/.test(entry.slice(0, 2))) paths.push(entries[++i]!)
  }
  return paths
}

/** Files that ralph writes while it runs must not be committed. */
const isRalphFile = (path: string): boolean => /(?:^|\/)(?:\.ralph\/|\.ralph-active$)/.test(path)

const MODES: readonly unknown[] = ['implement', 'review', 'review-fix'] satisfies ReviewMode[]

const isMode = (value: unknown): value is ReviewMode => MODES.includes(value)

function readSnapshot(value: unknown): ReviewSnapshot | null {
  const stories = asObject(value)
  const isValid = stories !== null && Object.values(stories).every(story => hasReviewFields(asObject(story)))
  return isValid ? snapshotOf(stories) : null
}

const hasReviewFields = (story: Record<string, unknown> | null): boolean =>
  typeof story?.passes === 'boolean' && typeof story.reviewCount === 'number' && 'reviewStatus' in story

const asObject = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
