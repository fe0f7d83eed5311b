import { describe, expect, it } from 'vitest'
import {
  ANSWERED,
  basePrompt,
  NO_FINDING,
  OUTSIDE,
  type RolePromptOptions,
  rolePrompt,
  undoneNote,
} from '../../../src/workflows/pipeline/rules/prompt.ts'
import { NO_REVIEWS } from '../../../src/workflows/pipeline/rules/reviews.ts'
import { red } from '../../core/play.ts'

const options: RolePromptOptions = {
  base: ' BASE\n',
  role: 'coder',
  mayReject: false,
  last: null,
  task: { id: 'T1', title: 'Log in', description: ' With a token.\n' },
  spec: { outcome: 'People log in.', acceptance: ['a token is given', 'a wrong one is refused'] },
  criteria: { promise: 'CODED', description: 'All is written.', method: 'string match' },
  patterns: [],
  iteration: 2,
  tries: 15,
  checks: [],
  lastRed: [],
  reviews: NO_REVIEWS,
  interrupted: false,
  doubts: [],
  instructions: [],
}
const finding = { id: 'F1', path: 'a.ts', line: 1, failure: 'it throws' }
const review = { check: 'review', verdict: 'fail', note: 'a.ts:1: it throws', claim: true } as const

describe('the prompt of a role', () => {
  it('has the role, the task, and the words of the document about completion', () => {
    expect(rolePrompt(options)).toBe(`BASE

# Your task: Log in (T1)

With a token.

If only a person can decide something, write <blocked>your question</blocked>.

## Ralph Loop Status
- **Iteration**: 2/15
- **Agent**: coder

## Task Outcome (What "Done" Means)
People log in.

## Acceptance Criteria
- [ ] a token is given
- [ ] a wrong one is refused

## Your Completion Requirements

When you have GENUINELY completed this stage:

**Success Criteria for coder:**
All is written.

**To signal completion, output:**
\`\`\`
<promise>CODED</promise>
\`\`\`

**CRITICAL:**
- Only output the promise when ALL acceptance criteria are truly met
- Your completion will be verified using: string match
- False promises will be detected and the loop will continue
- If blocked, explain what's preventing completion

The loop will continue until genuine completion or iteration 15.`)
  })

  it('does without a spec and a description', () => {
    const text = rolePrompt({ ...options, spec: null, task: { ...options.task, description: ' ' } })
    expect(text).toContain('# Your task: Log in (T1)\n\nIf only a person')
    expect(text).toContain('Complete the assigned task.\n\n## Acceptance Criteria\n\n\n## Your')
  })

  it('names the words that count against it', () => {
    const patterns = [
      { pattern: 'TODO', in: 'diff' },
      { pattern: 'not done', in: 'text' },
    ] as const
    expect(rolePrompt({ ...options, patterns })).toContain(
      'completion\n- These words count as a sign that the work is not complete: "TODO" (in the change), "not done"\n\nThe loop',
    )
  })

  it('names a single check and a single word', () => {
    const text = rolePrompt({ ...options, checks: ['npm test'], patterns: [{ pattern: 'TODO', in: 'text' }] })
    expect(text).toContain('\n\nThese checks must pass: npm test\n\n')
    expect(text).toContain('the work is not complete: "TODO"\n')
  })

  it('says what the last iteration came to, in this order', () => {
    const text = rolePrompt({
      ...options,
      checks: ['npm test', 'npm run lint'],
      lastRed: [{ ...red, note: 'RED' }, review],
      reviews: { ...NO_REVIEWS, open: [finding] },
      interrupted: true,
      doubts: ['DOUBT'],
      instructions: ['Use SQL.', 'Hurry.'],
    })
    const [, ...parts] = text.split('\n\n').slice(2)
    expect(parts.slice(0, 9)).toEqual([
      'These checks must pass: npm test · npm run lint',
      expect.stringContaining('interrupted'),
      'RED',
      'The work was sent back:',
      'F1 a.ts:1: it throws',
      'Fix each of them. If one is wrong, answer it with its number: <dismiss F1>why it is wrong</dismiss>.',
      'DOUBT',
      'Instruction from the user: Use SQL.',
      'Instruction from the user: Hurry.',
    ])
  })

  it('has the rejection as it was written if it has no findings', () => {
    const text = rolePrompt({ ...options, lastRed: [{ ...review, note: 'It is slow.' }] })
    expect(text).toContain('The work was sent back:\n\nIt is slow.\n\nIf only')
    expect(text).not.toContain('Fix each')
  })

  it('tells later roles how to send work back, and what was answered before', () => {
    const dismissed = [
      { ...finding, why: 'it is caught', tree: null },
      { ...finding, id: 'F2', why: 'no', tree: null },
    ]
    const text = rolePrompt({
      ...options,
      role: 'reviewer',
      mayReject: true,
      lastRed: [review],
      reviews: { step: 3, open: [], tree: null, dismissed, numbered: 2 },
    })
    expect(
      text,
    ).toContain(`These findings were answered. Bring one up again only if its lines have changed since:

F1 a.ts:1: it throws
   answer: it is caught
F2 a.ts:1: it throws
   answer: no

If the work must go back, do not give the promise. Write instead, one line for each finding:

<reject>
path/to/file:line: what fails, concretely
</reject>

Every finding needs a file, a line and a concrete failure. No findings is a valid answer: then give the promise. A matter of taste is no finding.

If only a person`)
    expect(text).not.toContain('sent back')
    expect(rolePrompt({ ...options, mayReject: true, last: 'It did not count.' })).toContain(
      'It did not count.\n\nIf the work must go back',
    )
    expect(rolePrompt({ ...options, mayReject: true })).not.toContain('answered')
    expect(rolePrompt(options)).not.toContain('<reject>')
  })

  it.each([
    ['coder', 'Implement the task below'],
    ['reviewer', 'Do not change any file'],
    ['tester', 'Do not fix the code itself'],
    ['qa', 'Check each acceptance criterion'],
    ['writer', 'You are the writer. Do your part of the task below, as your role says.'],
    ['constructor', 'You are the constructor.'],
  ])('begins for the %s with its own words', (role, words) => {
    expect(basePrompt(role)).toContain(words)
  })
})

it.each([
  [NO_FINDING, 'Your rejection did not count: it has no line of the form'],
  [ANSWERED, 'Your rejection did not count: its findings were answered before'],
  [OUTSIDE, 'Your rejection did not count: its findings are about files that this task does not change.'],
  [
    undoneNote('qa', ['a', 'b']),
    'You changed files, and the changes were put back: a, b. The qa changes no file: if something must change, send the work back. Your promise did not count.',
  ],
])('a role is told what did not count: %s', (note, words) => {
  expect(note).toContain(words)
})
