import { describe, expect, it } from 'vitest'
import { initial, type TaskState, taskStateOf } from '../../../src/core/table.ts'
import {
  type PromptVariables,
  type StoryPromptOptions,
  storyPrompt,
} from '../../../src/workflows/stories/rules/prompt.ts'
import { storiesTable } from '../../../src/workflows/stories/table.ts'
import { task } from '../../core/play.ts'

const variables: PromptVariables = {
  iteration: 3,
  maximum: 15,
  mode: 'implement',
  story: 'US-007',
  cap: 5,
  dir: 'ralph',
}
const nothing: StoryPromptOptions = {
  skip: false,
  current: undefined,
  refused: [],
  doubts: [],
  instructions: [],
}
const prompt = (
  template: string,
  of: Partial<PromptVariables> = {},
  options: Partial<StoryPromptOptions> = {},
) => storyPrompt(template, { ...variables, ...of }, { ...nothing, ...options })
const at = (more: Partial<TaskState>): TaskState => ({
  ...taskStateOf(storiesTable(), initial, task('US-007')),
  ...more,
})

const braced = (name: string) => `$\u007b${name}}`

describe('the prompt of an iteration', () => {
  it('says what was corrected, be it one thing', () => {
    expect(prompt('Hi', {}, { refused: ['a'] })).toBe('Hi\n\nAn earlier iteration was corrected:\n- a')
  })

  it('is the template with its variables filled in, with and without braces', () => {
    expect(
      prompt(
        `$RALPH_ITERATION of ${braced('RALPH_MAX_ITERATIONS')}: $RALPH_MODE ${braced('RALPH_STORY')}, $RALPH_REVIEW_CAP, $RALPH_DIR/x\n\n`,
      ),
    ).toBe('3 of 15: implement US-007, 5, ralph/x')
    expect(prompt('of $RALPH_MAX_ITERATIONS', { maximum: null })).toBe('of any number')
  })

  it('leaves other variables alone', () => {
    for (const text of [
      `$HOME ${braced('PATH')} $RALPH_OTHER $RALPH_MODES $toString`,
      `$ $$ ${braced('')} cost $5`,
    ])
      expect(prompt(text)).toBe(text)
  })

  it('asks a review for its verdict, unless the template does', () => {
    const asked = prompt('Hi', { mode: 'review' })
    expect(asked).toMatch(
      /^Hi\n\nThe last line of your final message is your verdict, the same as in tasks\.json/,
    )
    expect(asked).toContain('<verdict>…</verdict> with approved or changes_requested in it.')
    expect(asked).toMatch(/Without that line the review does not count\.$/)
    expect(prompt('Say <verdict>', { mode: 'review' })).toBe('Say <verdict>')
    for (const mode of ['implement', 'review-fix'] as const) expect(prompt('Hi', { mode })).toBe('Hi')
  })

  it('adds what concerns this iteration only, each as a paragraph, in this order', () => {
    const current = at({
      interrupted: true,
      lastRed: [
        { check: 'npm test', verdict: 'fail', note: '2 tests failed' },
        { check: 'review', verdict: 'fail', note: 'The total is wrong.', claim: true },
      ],
    })
    expect(
      prompt(
        'Hi',
        {},
        { skip: true, current, refused: ['a', 'b'], doubts: ['A doubt.'], instructions: ['Be quick'] },
      ),
    ).toBe(
      `Hi

There is no review in this loop. Your mode is implement: once the verifyCommands are green, set \`passes\` to true yourself, and leave \`reviewStatus\` null and \`reviewCount\` 0.

Note: the previous iteration was interrupted. The working tree may be half-edited; look at it before you go on.

2 tests failed

What the review asks for:

The total is wrong.

A doubt.

An earlier iteration was corrected:
- a
- b

Instruction from the user: Be quick`,
    )
  })
})
