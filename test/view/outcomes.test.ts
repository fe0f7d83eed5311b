import { describe, expect, it } from 'vitest'
import type { Finding, RunEvent, Settled } from '../../src/core/events.ts'
import { AT_CAP, initial, type TaskState, taskStateOf } from '../../src/core/table.ts'
import { besideAnswer } from '../../src/view/agent-lines.ts'
import { failingLines } from '../../src/view/outcome-lines.ts'
import { type RunLinesOptions, runLines } from '../../src/view/run-lines.ts'
import { styleOf } from '../../src/view/style.ts'
import { buildTable } from '../../src/workflows/build/table.ts'
import { storiesTable } from '../../src/workflows/stories/table.ts'
import { agentSays, checked, started } from './run-events.ts'

const style = styleOf({ color: false, emoji: true })
const shown: RunLinesOptions = {
  style,
  bounds: { maxLines: 12, maxChars: 2000 },
  streamAgent: true,
  limit: null,
  clock: String,
}
const table = buildTable()
const fresh = taskStateOf(table, initial, { id: '#1', title: 'x', blockedBy: [] })
const settled = (event: Partial<Settled>, state: Partial<TaskState> = {}): RunEvent => ({
  type: 'settled',
  at: 0,
  id: 1,
  task: '#1',
  stage: 'work',
  move: 'pass',
  end: 'ok',
  note: '',
  findings: [],
  patch: {},
  add: [],
  block: {},
  ...event,
  state: { ...fresh, ...state },
})
const list = () => ({ items: [], blocked: new Map() })
const noteOf = (output: string) =>
  `Guardrail "npm test" failed with exit code 1.\nOutput file: a.log\nOutput (truncated):\n${output}`

describe('what is wrong with a red check', () => {
  it.each<[string, string, string[]]>([
    [
      'node --test',
      '✔ adds (1ms)\n✖ counts (2ms)\n  AssertionError: 2 !== 3\nℹ pass 1\nℹ fail 1\n',
      ['✖ counts (2ms)', 'AssertionError: 2 !== 3', 'ℹ fail 1'],
    ],
    [
      'node --test in a pipe',
      "not ok 2 - counts\n  failureType: 'testCodeFailure'\n  error: |-\n    Expected values to be equal:\n    2 !== 6\n  name: 'AssertionError'\n  expected: 6\n  actual: 2\n",
      ['not ok 2 - counts', 'Expected values to be equal:', 'expected: 6', 'actual: 2'],
    ],
    [
      'tsc',
      'src/a.ts(1,2): error TS2345: no\nFound 1 error.',
      ['src/a.ts(1,2): error TS2345: no', 'Found 1 error.'],
    ],
    [
      'pytest',
      '.F\nE   assert 1 == 2\nFAILED t.py::a\n1 failed',
      ['E   assert 1 == 2', 'FAILED t.py::a', '1 failed'],
    ],
    [
      'counts of nothing',
      'ok\n0 failed\n# fail 0\nerrors: 0\nlint: unused x',
      ['0 failed', '# fail 0', 'errors: 0', 'lint: unused x'],
    ],
    ['no known word', 'a\nb\nc\nd\ne', ['b', 'c', 'd', 'e']],
    ['no output', '', []],
  ])('is found in the output of %s', (_, output, lines) =>
    expect(failingLines(noteOf(output), 4)).toEqual(lines),
  )

  it('is shown under it, no more than four lines, and the log after them', () => {
    const output = Array.from({ length: 9 }, (_, i) => `✖ test ${i} \x1b[2J`).join('\n')
    const finding: Finding = { check: 'npm test', verdict: 'fail', note: noteOf(output), log: 'a.log' }
    expect(runLines(shown)(checked(finding))).toEqual([
      '  ✗ npm test failed with exit code 1 0.0s',
      '    ✖ test 0',
      '    ✖ test 1',
      '    ✖ test 2',
      '    ✖ test 3',
      '    a.log',
    ])
  })
})

describe('a task that is done', () => {
  const lines = (event: RunEvent) =>
    runLines({ ...shown, list, stageOf: stage => table.stages[stage] })(event)

  it('has the mark of what is verified only if it was', () => {
    expect(lines(settled({}, { stage: 'done', proof: true }))).toEqual(['  ✅ #1 done, verified'])
    expect(lines(settled({}, { stage: 'done' }))).toEqual(['  ✓ #1 done as claimed: nothing verified it'])
  })

  it('is told from one that is blocked, or gets a bug fix', () => {
    expect(lines(settled({ move: 'ask' }, { stage: 'blocked', why: 'Which port?' }))).toEqual([
      '  ⚠️ #1 blocked: Which port?',
    ])
    const why = 'all tries at fixing are used: Guardrail "npm test" failed with exit code 1.'
    expect(lines(settled({ move: 'spent' }, { stage: 'blocked', why }))).toEqual([
      '  ⚠️ #1 blocked: all tries at fixing are used: npm test failed with exit code 1.',
    ])
    const bug = { id: '#1-bug-1', title: 'Fix: Guardrail "npm test" failed with exit code 1.', blockedBy: [] }
    expect(lines(settled({ move: 'fail', add: [bug] }))).toEqual([
      '  → #1-bug-1 Fix: npm test failed with exit code 1.',
    ])
  })
})

it('a role that sends work back is heard, as a review is', () => {
  const lines = runLines({ ...shown, list, stageOf: () => ({ ends: 'signal' as const }) })
  expect(lines(settled({ move: 'reject', note: 'Expired tokens pass.' }))).toEqual([
    '  ✗ #1 sent back',
    '    Expired tokens pass.',
  ])
})

it('a prompt loop without a condition waits for no word of the agent', () => {
  const lines = runLines({ ...shown, stageOf: () => ({ ends: 'signal' as const, repeats: true as const }) })
  expect(lines(settled({ move: 'more' }))).toEqual([])
})

it('a prompt loop says why it goes on', () => {
  const stageOf = () => ({ ends: 'signal' as const })
  const lines = runLines({ ...shown, stageOf })
  expect(lines(settled({ move: 'more' }))).toEqual(['  → not done yet: the agent did not say so'])
  expect(lines(settled({ move: 'fail' }))).toEqual([])
})

describe('the verdict of a review is shown when it is given', () => {
  const reviews = storiesTable()
  const lines = (event: Partial<Settled>, state: Partial<TaskState>) =>
    runLines({ ...shown, list, stageOf: stage => reviews.stages[stage] })(
      settled({ stage: 'review', task: 'US-1', ...event }, state),
    )

  it.each<[string, Partial<Settled>, Partial<TaskState>, string[]]>([
    ['approved', {}, { stage: 'done', proof: true }, ['  ✅ US-1 approved, verified']],
    ['approved without checks', {}, { stage: 'done' }, ['  ✓ US-1 approved; no check verified it']],
    [
      'sent back, with what is to be changed',
      { move: 'reject', note: 'Sort without case.\n\nAdd a test.' },
      { stage: 'fix' },
      ['  ✗ US-1 sent back', '    Sort without case.', '    Add a test.'],
    ],
    [
      'approved at the cap',
      { move: 'capped', note: 'No.' },
      { stage: 'done', why: AT_CAP },
      ['  ⚠️ US-1 approved at the cap, not by a reviewer', '    No.'],
    ],
    [
      'no verdict',
      { move: 'more' },
      { stage: 'review' },
      ['  ⚠️ US-1: no verdict, so another review follows'],
    ],
  ])('%s', (_, event, state, wanted) => expect(lines(event, state)).toEqual(wanted))
})

describe('planning', () => {
  const LIST = '[\n  { "content": "One", "status": "pending" }\n]'
  it.each([
    ['a bare list', LIST, ''],
    [
      'a list in a fence',
      `Prices first.\n\n\`\`\`json\n${LIST}\n\`\`\`\nThat is all.`,
      'Prices first.\n\n\nThat is all.',
    ],
    ['a list after words', `Prices first.\n${LIST}`, 'Prices first.'],
    ['an object', '{"tasks": []}', ''],
    ['a refined goal', 'Step 1.\n<refined>\nA shop.\n</refined>', 'Step 1.'],
    ['words alone', 'See [1] and {x}.', 'See [1] and {x}.'],
  ])('shows what is said beside %s', (_, text, wanted) => expect(besideAnswer(text)).toBe(wanted))

  const stageOf = (stage: string) => table.stages[stage]
  const refined = settled(
    { stage: 'refine', task: 'plan', note: 'A small shop.\nWith tests.' },
    { stage: 'decompose' },
  )

  it('shows no JSON, and the refined goal once', () => {
    const lines = runLines({ ...shown, stageOf })
    const said = agentSays({ type: 'text', text: `So:\n${LIST}` })
    expect([started(1, 0, 'decompose'), said].flatMap(lines)).toEqual([
      '',
      'iteration 1 · making the list',
      '  So:',
    ])
    expect([started(1, 0, 'refine'), refined].flatMap(lines).slice(2)).toEqual([
      '  A small shop.',
      '  With tests.',
    ])
  })

  it('does not repeat a goal that somebody was asked about', () => {
    const asking: RunEvent = { type: 'asking', at: 0, id: 1, what: 'the refined prompt' }
    const lines = runLines({ ...shown, stageOf })
    expect([started(1, 0, 'refine'), asking, refined].flatMap(lines).slice(2)).toEqual([])
  })
})
