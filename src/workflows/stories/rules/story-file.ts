import { parseJson } from '../../../core/json.ts'
import { hiddenIn } from '../../../core/visible.ts'

export type ReviewStatus = 'needs_review' | 'changes_requested' | 'approved' | null

/** One story as the file has it. Unknown fields are kept. */
export type Story = {
  id: string
  title: string
  description?: string
  acceptanceCriteria: string[]
  priority: number
  passes: boolean
  reviewStatus: ReviewStatus
  reviewCount: number
  reviewFeedback: string
  notes?: string
  dependsOn?: readonly string[]
}

/** The story loop's tasks.json. */
export type StoriesFile = {
  project: string
  branchName: string
  description: string
  verifyCommands?: string[]
  userStories: Story[]
}

type Rule = { field: string; is(value: unknown): boolean; must: string; optional?: true }

/** Ids and titles are in every list, log and prompt, and ids are searched for in texts. */
const LONGEST_STORY_ID = 100
const LONGEST_TITLE = 1000

const text = (value: unknown): value is string => typeof value === 'string'
const isStoryId = (value: unknown) =>
  text(value) &&
  value.length <= LONGEST_STORY_ID &&
  /\S/.test(value) &&
  !/[\t\n]/.test(value) &&
  hiddenIn(value) === null
const texts = (value: unknown) => Array.isArray(value) && value.every(text)
const STATUSES: readonly unknown[] = [
  null,
  'needs_review',
  'changes_requested',
  'approved',
] satisfies ReviewStatus[]

const FILE_RULES: Rule[] = [
  { field: 'project', is: text, must: 'be a string' },
  { field: 'branchName', is: text, must: 'be a string' },
  { field: 'description', is: text, must: 'be a string' },
  { field: 'verifyCommands', is: texts, must: 'be an array of strings', optional: true },
  { field: 'userStories', is: Array.isArray, must: 'be an array' },
]

const ID_RULE: Rule = {
  field: 'id',
  is: isStoryId,
  must: `be a string of 1 to ${LONGEST_STORY_ID} characters in one line, all of them visible`,
}

const STORY_RULES: Rule[] = [
  {
    field: 'title',
    is: value => text(value) && value.length <= LONGEST_TITLE,
    must: `be a string of at most ${LONGEST_TITLE} characters`,
  },
  { field: 'description', is: text, must: 'be a string', optional: true },
  {
    field: 'acceptanceCriteria',
    is: value => texts(value) && (value as string[]).length > 0,
    must: 'be a non-empty array of strings',
  },
  { field: 'priority', is: value => typeof value === 'number', must: 'be a number' },
  { field: 'passes', is: value => typeof value === 'boolean', must: 'be true or false' },
  {
    field: 'reviewStatus',
    is: value => STATUSES.includes(value),
    must: 'be null, "needs_review", "changes_requested" or "approved"',
  },
  {
    field: 'reviewCount',
    is: value => Number.isInteger(value) && (value as number) >= 0,
    must: 'be a whole number, 0 or more',
  },
  { field: 'reviewFeedback', is: text, must: 'be a string' },
  { field: 'notes', is: text, must: 'be a string', optional: true },
  { field: 'dependsOn', is: texts, must: 'be an array of strings', optional: true },
]

/** Adds the folder, and the file's name if the error does not begin with it. */
export const errorIn = (folder: string, error: string): string =>
  `${folder}/${error.startsWith('tasks.json ') ? '' : 'tasks.json: '}${error}`

/** Reads parsed JSON as a story file. Each error names the story and the field. */
export function readStories(json: unknown): { file: StoriesFile } | { errors: string[] } {
  const read = readStoriesWithoutNotes(json)
  const errors = 'errors' in read ? read.errors : noteErrors(read.file)
  return errors.length > 0 ? { errors } : read
}

/** The same, but finished stories need no notes: an approval without notes still counts. */
export function readStoriesWithoutNotes(json: unknown): { file: StoriesFile } | { errors: string[] } {
  if (!isObject(json)) return { errors: ['tasks.json must be an object.'] }
  const errors: string[] = []
  addRuleErrors(errors, json, FILE_RULES, '')
  if (Array.isArray(json.userStories)) errors.push(...storyErrors(json.userStories))
  return errors.length > 0 ? { errors } : { file: json as StoriesFile }
}

/** Reads the text of a story file in the same way. */
export function parseStories(text: string): { file: StoriesFile } | { errors: string[] } {
  try {
    return readStoriesWithoutNotes(parseJson(text))
  } catch (error) {
    return { errors: [`tasks.json is not valid JSON: ${(error as Error).message}.`] }
  }
}

/** Whether the only story is still the empty one of the template. */
export function isTemplate(json: unknown): boolean {
  if (!isObject(json) || !Array.isArray(json.userStories) || json.userStories.length !== 1) return false
  const [only] = json.userStories as unknown[]
  return isObject(only) && only.title === '' && JSON.stringify(only.acceptanceCriteria) === '[]'
}

export const noteErrors = ({ userStories }: Pick<StoriesFile, 'userStories'>): string[] =>
  userStories
    .filter(story => story.passes && (story.notes ?? '').trim() === '')
    .map(({ id }) => `Story ${id} has passes=true but notes is empty. Say in notes what was done.`)

function storyErrors(stories: unknown[]): string[] {
  const errors: string[] = []
  const seen = new Set<string>()
  for (const [index, story] of stories.entries()) {
    if (!isObject(story)) {
      errors.push(`userStories[${index}] must be an object.`)
      continue
    }
    const id = isStoryId(story.id) ? (story.id as string) : null
    const name = id === null ? `userStories[${index}]` : `Story ${id}`
    if (id === null) addRuleErrors(errors, story, [ID_RULE], `${name}: `)
    addRuleErrors(errors, story, STORY_RULES, `${name}: `)
    if (id !== null && seen.has(id)) errors.push(`${name}: id is used more than once.`)
    if (id !== null) seen.add(id)
  }
  return errors
}

function addRuleErrors(
  errors: string[],
  object: Record<string, unknown>,
  rules: Rule[],
  prefix: string,
): void {
  for (const { field, is, must, optional } of rules) {
    if (Object.hasOwn(object, field)) {
      if (!is(object[field])) errors.push(`${prefix}${field} must ${must}.`)
    } else if (!optional) errors.push(`${prefix}${field} is missing.`)
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
