import { invariantErrors, type ReviewMode, type Snapshot, transitionErrors } from './review-rules.ts'
import { errorIn, parseJson, readStories, type StoriesFile } from './story-file.ts'

/** What the gate goes by: written by ralph before every iteration. */
export type GateRules = {
  mode: ReviewMode | null
  skipReview: boolean
  reviewCap: number
  before: Snapshot | null
  /** Paths that were not committed when the iteration began. */
  dirtyBefore: string[]
}

const REVIEW_CAP = 5

/** Reads what ralph wrote. What is missing or makes no sense is left out: the gate then checks less. */
export function readGateRules(json: unknown): GateRules {
  const { iterationMode, skipReview, reviewCap, preIterationSnapshot, dirtyBefore } = asObject(json) ?? {}
  return {
    mode: isMode(iterationMode) ? iterationMode : null,
    skipReview: skipReview === true,
    reviewCap: Number.isInteger(reviewCap) && (reviewCap as number) > 0 ? (reviewCap as number) : REVIEW_CAP,
    before: isSnapshot(preIterationSnapshot) ? preIterationSnapshot : null,
    dirtyBefore: Array.isArray(dirtyBefore) ? dirtyBefore.filter(path => typeof path === 'string') : [],
  }
}

export type Looked = {
  /** The stories' folder, as the agent knows it. */
  folder: string
  /** The text of tasks.json, or why it cannot be had; null where there is none. */
  tasks: string | { unreadable: string } | null
  /** What `git status --porcelain -z` lists; null outside a repository. */
  status: string | null
}

export type Verdict = { errors: string[]; warnings: string[] }

/** Whether an iteration may end as it stands. Everything that is wrong is told at once: nobody is asked for ever. */
export function judgeStop(rules: GateRules, looked: Looked): Verdict {
  const read = readTasks(looked)
  const uncommitted = uncommittedErrors(rules, looked)
  if ('errors' in read) return { errors: [...read.errors, ...uncommitted], warnings: [] }
  if (rules.skipReview) return { errors: uncommitted, warnings: [] }
  const { mode, before, reviewCap } = rules
  const invariants = invariantErrors(read.file, reviewCap)
  if (mode === null || before === null)
    return { errors: [...invariants, ...uncommitted], warnings: [NO_SNAPSHOT] }
  return {
    errors: [...invariants, ...transitionErrors(mode, before, read.file), ...uncommitted],
    warnings: [],
  }
}

const NO_SNAPSHOT =
  'there is no snapshot from before the iteration: transitions of the review fields were not checked, only their state'

function readTasks({ folder, tasks }: Looked): { file: StoriesFile } | { errors: string[] } {
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

const SHOWN = 10

function uncommittedErrors({ dirtyBefore }: GateRules, { folder, status }: Looked): string[] {
  const earlier = new Set(dirtyBefore)
  const theirs = dirtyPaths(status ?? '').filter(path => !isRalphs(path))
  const paths = theirs.filter(path => !earlier.has(path))
  if (paths.length === 0) return []
  const kept = theirs.filter(path => earlier.has(path))
  const spare =
    kept.length === 0 ? '' : `\nLeave alone what was uncommitted before this iteration: ${list(kept)}.`
  return [
    `There are uncommitted changes: ${list(paths)}.
1. Update ${folder}/progress.txt with what was accomplished + learnings
2. Consider if any lasting patterns belong in CLAUDE.md or .claude/rules/
3. Commit ALL changes including progress.txt and tasks.json updates${spare}`,
  ]
}

function list(paths: readonly string[]): string {
  const more = paths.length - SHOWN
  return more > 0 ? `${paths.slice(0, SHOWN).join(', ')} and ${more} more` : paths.join(', ')
}

/** The paths of `git status --porcelain -z`, a rename by both its names. */
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

/** What ralph writes while it runs is nobody's to commit. */
const isRalphs = (path: string): boolean => /(?:^|\/)(?:\.ralph\/|\.ralph-active$)/.test(path)

const MODES: readonly unknown[] = ['implement', 'review', 'review-fix'] satisfies ReviewMode[]

const isMode = (value: unknown): value is ReviewMode => MODES.includes(value)

function isSnapshot(value: unknown): value is Snapshot {
  const stories = asObject(value)
  return stories !== null && Object.values(stories).every(story => isReviewed(asObject(story)))
}

const isReviewed = (story: Record<string, unknown> | null): boolean =>
  typeof story?.passes === 'boolean' && typeof story.reviewCount === 'number' && 'reviewStatus' in story

const asObject = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
