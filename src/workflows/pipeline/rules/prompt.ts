import type { Finding } from '../../../core/events.ts'
import { REVIEW } from '../../../core/table.ts'
import { HALF_EDITED } from '../../shared/prompt-parts.ts'
import { findingLines, type ReviewState } from './reviews.ts'

export type RolePromptOptions = {
  base: string
  role: string
  /** Whether it may send work back. If not, work may be sent back to it. */
  mayReject: boolean
  /** What was wrong with the last answer of this role, if nothing else says so. */
  last: string | null
  task: { id: string; title: string; description: string }
  spec: { outcome: string; acceptance: readonly string[] } | null
  criteria: { promise: string; description: string; method: string }
  patterns: readonly { pattern: string; in: 'text' | 'diff' }[]
  iteration: number
  tries: number
  checks: readonly string[]
  lastRed: readonly Finding[]
  reviews: ReviewState
  interrupted: boolean
  doubts: readonly string[]
  instructions: readonly string[]
}

/** The prompt of one iteration: the role, the task, what the last iteration came to, and what "done" means. */
export function rolePrompt(options: RolePromptOptions): string {
  const { base, mayReject, task, checks, lastRed, reviews } = options
  return [
    base.trim(),
    `# Your task: ${task.title} (${task.id})`,
    task.description.trim() || null,
    checks.length > 0 ? `These checks must pass: ${checks.join(' · ')}` : null,
    options.interrupted ? HALF_EDITED : null,
    ...lastRed.filter(finding => finding.check !== REVIEW).map(({ note }) => note),
    options.last,
    mayReject ? answeredBefore(reviews) : sentBack(lastRed, reviews),
    ...options.doubts,
    ...options.instructions.map(text => `Instruction from the user: ${text}`),
    mayReject ? HOW_TO_REJECT : null,
    HOW_TO_ASK,
    completionSection(options),
  ]
    .filter(part => part !== null)
    .join('\n\n')
}

/** For the coder: why the work came back. */
function sentBack(lastRed: readonly Finding[], { open }: ReviewState): string | null {
  const note = lastRed.find(finding => finding.check === REVIEW)?.note
  if (note === undefined) return null
  return open.length > 0
    ? `The work was sent back:\n\n${findingLines(open)}\n\n${HOW_TO_DISMISS}`
    : `The work was sent back:\n\n${note}`
}

/** For the others: what was found before and answered. */
const answeredBefore = ({ dismissed }: ReviewState): string | null =>
  dismissed.length === 0
    ? null
    : `These findings were answered. Bring one up again only if its lines have changed since:\n\n${dismissed
        .map(({ id, path, line, failure, why }) => `${id} ${path}:${line}: ${failure}\n   answer: ${why}`)
        .join('\n')}`

/** The part of the prompt that says when the stage is complete. */
function completionSection({ role, spec, criteria, patterns, iteration, tries }: RolePromptOptions): string {
  const words = patterns.map(
    ({ pattern, in: where }) => `"${pattern}"${where === 'diff' ? ' (in the change)' : ''}`,
  )
  return `## Ralph Loop Status
- **Iteration**: ${iteration}/${tries}
- **Agent**: ${role}

## Task Outcome (What "Done" Means)
${spec?.outcome ?? 'Complete the assigned task.'}

## Acceptance Criteria
${(spec?.acceptance ?? []).map(criterion => `- [ ] ${criterion}`).join('\n')}

## Your Completion Requirements

When you have GENUINELY completed this stage:

**Success Criteria for ${role}:**
${criteria.description}

**To signal completion, output:**
\`\`\`
<promise>${criteria.promise}</promise>
\`\`\`

**CRITICAL:**
- Only output the promise when ALL acceptance criteria are truly met
- Your completion will be verified using: ${criteria.method}
- False promises will be detected and the loop will continue
- If blocked, explain what's preventing completion
${words.length > 0 ? `- These words count as a sign that the work is not complete: ${words.join(', ')}\n` : ''}
The loop will continue until genuine completion or iteration ${tries}.`
}

/** The base prompts of the roles: who the agent is, and what it may do. A file of the user's can replace each. */
const PROMPTS: Readonly<Record<string, string>> = {
  coder: `You are the coder. Implement the task below in this repository: read what is there, make the change, and run its checks. Keep to the project's conventions. Commit nothing that does not belong to the task.`,
  reviewer: `You are the reviewer. You have not written this change. Read the diff of the task and judge it: is it correct, safe and complete, and does it follow the project's conventions? Do not change any file.`,
  tester: `You are the tester. Write and run tests that show whether the task is done: the acceptance criteria, the edge cases, and what could have broken. Tests are your work, and you may write them. Do not fix the code itself: if a test shows a bug, send the work back.`,
  qa: `You are qa, the last to look at this task. Check each acceptance criterion on the running code, as a user would. Do not change any file.`,
}

const OTHER = 'Do your part of the task below, as your role says.'

export const basePrompt = (role: string): string =>
  Object.hasOwn(PROMPTS, role) ? PROMPTS[role]! : `You are the ${role}. ${OTHER}`

/** How a role after the first sends the work back. */
const HOW_TO_REJECT = `If the work must go back, do not give the promise. Write instead, one line for each finding:

<reject>
path/to/file:line: what fails, concretely
</reject>

Every finding needs a file, a line and a concrete failure. No findings is a valid answer: then give the promise. A matter of taste is no finding.`

/** How such a note begins. */
const NOT_COUNTED = 'Your rejection did not count'

/** After a rejection without a finding. */
export const NO_FINDING = `${NOT_COUNTED}: it has no line of the form "path/to/file:line: what fails, concretely".`

/** After a rejection that says only what was answered before. */
export const ANSWERED = `${NOT_COUNTED}: its findings were answered before, and their lines have not changed since.`

/** After a rejection about files that the task did not touch. */
export const OUTSIDE = `${NOT_COUNTED}: its findings are about files that this task does not change. They are kept as proposals for other tasks. Judge this task's change.`

/** After changes by a role that only looks. */
export const undoneNote = (role: string, paths: readonly string[]): string =>
  `You changed files, and the changes were put back: ${paths.join(', ')}. The ${role} changes no file: if something must change, send the work back. Your promise did not count.`

const HOW_TO_ASK = `If only a person can decide something, write <blocked>your question</blocked>.`

/** How the coder answers findings that it does not agree with. */
const HOW_TO_DISMISS =
  'Fix each of them. If one is wrong, answer it with its number: <dismiss F1>why it is wrong</dismiss>.'
