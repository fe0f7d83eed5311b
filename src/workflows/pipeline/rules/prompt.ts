import type { Finding } from '../../../core/events.ts'
import { REVIEW } from '../../../core/table.ts'
import { HALF_EDITED } from '../../shared/prompt-parts.ts'
import { findingLines, type ReviewState } from './reviews.ts'
import { HOW_TO_ASK, HOW_TO_DISMISS, HOW_TO_REJECT } from './role-prompts.ts'

export type RolePromptOptions = {
  base: string
  role: string
  /** Whether it may send work back; if not, work may be sent back to it. */
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

/** As the document has it. */
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
