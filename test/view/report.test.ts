import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import type { StageTable } from '../../src/core/table.ts'
import { formatNextStep, formatOpenTasks } from '../../src/view/report/format.ts'
import { receiptOf as receiptIn } from '../../src/view/report/receipt.ts'
import { shortReceipt } from '../../src/view/report/short.ts'
import { costCell, costRow } from '../../src/view/report/spent.ts'
import { styleOf } from '../../src/view/style.ts'
import { fitTo } from '../../src/view/text/fit.ts'
import { widthOf } from '../../src/view/text/width.ts'
import { receiptOf } from '../support/receipt.ts'
import { doubt, green, type IterationOptions, journal, MINUTE, red, taskState } from './report-journal.ts'

const style = styleOf({ color: false, emoji: true })
const ID = '20260301-221530-k3f'
const paid: IterationOptions = { usd: 0.11, tokens: [88_000, 73_000, 416] }
const fails: IterationOptions = { ...paid, move: 'fail', findings: [red()] }
const passes: IterationOptions = {
  usd: 0.07,
  tokens: [61_000, 55_000, 288],
  move: 'pass',
  findings: [green()],
}
const error: IterationOptions = { end: 'error', note: 'Invalid API key\nmore', pauses: true }
const LIMITED: IterationOptions = { end: 'limited', note: 'limit reached' }
const stuck = taskState('blocked', 'stuck: 3 iterations changed nothing and npm test stayed red')

describe('a receipt in short', () => {
  it.each<[string, RunEvent[], string[]]>([
    [
      'complete and verified',
      journal().iterate(fails).iterate(passes).finish('complete', 'complete', 'verified'),
      ['✅ done, verified  2 iterations · $0.18 · 2m0s at work', '149K tokens in (128K cached), 704 out'],
    ],
    [
      'complete as claimed, of unknown cost',
      journal().iterate({ move: 'pass' }).finish('complete', 'complete', 'claimed'),
      ['✓ done as claimed: nothing verified it  1 iteration · 1m0s at work'],
    ],
    [
      'complete as claimed, because something casts doubt on the checks',
      journal()
        .iterate({ move: 'pass', findings: [green(), doubt], doubts: [doubt] })
        .finish('complete', 'tests: a.test.js was deleted', 'claimed'),
      ['⚠️ done as claimed: tests: a.test.js was deleted  1 iteration · 1m0s at work'],
    ],
    [
      'exhausted: with a higher limit it can go on',
      journal({ limits: { iterations: 2 } })
        .iterate(fails)
        .iterate({ move: 'more' })
        .finish('exhausted', 'all 2 iterations are used'),
      [
        '❌ not done: all 2 iterations are used  2 iterations · $0.11, and 1 call of unknown cost · 2m0s at work',
        '88K tokens in (73K cached), 416 out',
        'last:     the agent did not say that it is done',
        `to go on: ralph resume ${ID} -m 12`,
      ],
    ],
    [
      'stuck: resuming it would change nothing',
      journal()
        .iterate({ ...fails, move: 'stuck', to: stuck })
        .finish('blocked', stuck.why),
      [
        `❌ blocked: ${stuck.why}  1 iteration · $0.11 · 1m0s at work`,
        '88K tokens in (73K cached), 416 out',
        `to go on: ralph resume ${ID}`,
      ],
    ],
    [
      'failures, with pauses between them',
      journal().iterate(error).later(1000).iterate(error).finish('failures', '2 consecutive failures'),
      [
        '❌ failures: 2 consecutive failures  2 iterations · 2m0s at work, 1.0s waiting',
        'last:     Invalid API key',
        `to go on: ralph resume ${ID}`,
      ],
    ],
    [
      'over its budget',
      journal({ limits: { usd: 0.1 } })
        .iterate(fails)
        .finish('budget', '$0.11 of $0.10 are spent'),
      [
        '❌ budget: $0.11 of $0.10 are spent  1 iteration · $0.11 · 1m0s at work',
        '88K tokens in (73K cached), 416 out',
        'last:     npm test failed with exit code 1',
        `to go on: ralph resume ${ID} --max-cost 0.2`,
      ],
    ],
    [
      'stopped',
      journal().iterate(fails).add({ type: 'stopped', why: 'interrupted' }).events,
      [
        '⚠️ stopped: interrupted  1 iteration · $0.11 · 1m0s at work',
        '88K tokens in (73K cached), 416 out',
        `to go on: ralph resume ${ID}`,
      ],
    ],
    [
      'stopped between its agent and its checks',
      journal().iterate(fails).start().end(paid).add({ type: 'stopped', why: 'interrupted' }).events,
      [
        '⚠️ stopped: interrupted  2 iterations, the last one still to be checked · $0.22 · 2m0s at work',
        '176K tokens in (146K cached), 832 out',
        `to go on: ralph resume ${ID}`,
      ],
    ],
    [
      'crashed in its second iteration',
      journal().iterate(fails).start().events,
      [
        '⚠️ unfinished: it was cut off  2 iterations, the last one cut off · $0.11, and 1 call of unknown cost · 1m0s at work',
        '88K tokens in (73K cached), 416 out',
        `to go on: ralph resume ${ID}`,
      ],
    ],
    [
      'cancelled before anything was done',
      journal().finish('cancelled', 'cancelled'),
      ['❌ cancelled  0 iterations · 0.0s at work', 'to go on: a new run: this one was cancelled'],
    ],
  ])('%s', (_, events, lines) => {
    const [first, ...more] = [...lines, `receipt:  ralph report ${ID}`]
    expect(shortReceipt(receiptOf(events), style)).toEqual(['', first, ...more.map(line => `   ${line}`)])
  })

  it('has no line of a hostile sentence but one', () => {
    const why = 'red\n\x1b[2Jgreen\u202e'
    expect(shortReceipt(receiptOf(journal().finish('blocked', why)), style)[1]).toContain(
      'blocked: red green  ',
    )
  })

  it('is only its first line where nobody wants more, and no failure where nothing was to be reached', () => {
    const events = journal().iterate(paid).finish('exhausted', 'the one iteration is used')
    const receipt = receiptIn(events, { command: 'run', listed: false, hasCondition: () => false })
    expect(shortReceipt(receipt, style, { whole: false })).toEqual([
      '',
      '✓ the one iteration is used  1 iteration · $0.11 · 1m0s at work',
    ])
  })

  it('says why it gave up, and how to go on, even where nobody wants more', () => {
    const receipt = receiptOf(journal().iterate(error).finish('failures', '1 consecutive failure'))
    expect(shortReceipt(receipt, style, { whole: false })).toEqual([
      '',
      '❌ failures: 1 consecutive failure  1 iteration · 1m0s at work',
      '   last:     Invalid API key',
      `   to go on: ralph resume ${ID}`,
    ])
  })

  it.each([
    [{ move: 'more', findings: [green()] }, '✓ the iteration went well'],
    [{ move: 'fail', findings: [red()] }, '❌ not done: the one iteration is used'],
    [{ end: 'error', note: 'no' }, '❌ not done: the one iteration is used'],
  ] as [IterationOptions, string][])(
    'of the one iteration of --once says whether it went well: %j',
    (how, says) => {
      const events = journal({ limits: { iterations: 1 } })
        .iterate(how)
        .finish('exhausted', 'the one iteration is used')
      Object.assign((events[0] as { pins: object }).pins, { once: true })
      const lines = shortReceipt(receiptOf(events), style)
      expect(lines[1]).toContain(`${says}  1 iteration`)
      expect(lines).toContain(`   to go on: ralph resume ${ID} -m 2`)
    },
  )

  it('does not name the one task that is left if the ending has said why', () => {
    const blocked = taskState('blocked', 'all tries at making the list are used: no array')
    const pen = journal({ tasks: [['plan', 'Plan the work']] })
    const events = pen.iterate({ task: 'plan', move: 'spent', to: blocked }).finish('blocked', blocked.why)
    expect(shortReceipt(receiptOf(events), style).join('\n')).not.toContain('left:')
  })

  it('tells files, commits, warnings and tasks that are left', () => {
    const tasks: [string, string][] = ['T1', 'T2', 'T3', 'T4', 'T5'].map(id => [id, 'Cart'])
    const pen = journal({ tasks }).start({ task: 'T1' }).end()
    pen.add({ type: 'changed', id: 1, paths: ['a', 'b'], count: 2 })
    pen.add({ type: 'committed', id: 1, by: 'ralph', from: null, to: 'abc' })
    pen.settle({ task: 'T1', move: 'pass' }).add({ type: 'warned', note: 'careful' })
    const events = pen.add({ type: 'stopped', why: 'interrupted' }).events
    expect(shortReceipt(receiptOf(events), style).slice(2)).toEqual([
      '   2 files changed · 1 commit · 1 warning',
      '   left:     T2 · Cart (not begun)',
      '   left:     T3 · Cart (not begun)',
      '   left:     T4 · Cart (not begun)',
      '   left:     1 more',
      `   to go on: ralph resume ${ID}`,
      `   changes:  ralph diff ${ID}`,
      `   receipt:  ralph report ${ID}`,
    ])
  })

  it.each([20, 40, 80])('is never wider than a terminal of %i columns', columns => {
    const receipt = receiptOf(journal().iterate(paid).finish('blocked', 'why '.repeat(40)))
    for (const line of shortReceipt(receipt, style, { fit: fitTo(columns) }))
      expect(widthOf(line)).toBeLessThanOrEqual(columns)
  })
})

describe('the time of a run', () => {
  it('is work in all incarnations, and none between them', () => {
    const day = 24 * 60 * MINUTE
    const events = journal()
      .iterate(fails)
      .add({ type: 'stopped', why: 'interrupted' })
      .later(day)
      .resume()
      .start()
      .later(10_000)
      .add({ type: 'spawned', id: 2, ref: { pid: 1, startTime: '', host: '' } })
      .later(day)
      .resume()
      .settle({ end: 'interrupted', note: 'interrupted by a crash' })
      .iterate(passes)
      .finish('complete', 'complete', 'verified')
    const receipt = receiptOf(events)
    expect(receipt.times).toMatchObject({ incarnations: 3, workedMs: 2 * MINUTE + 10_000, waitedMs: 0 })
    expect(receipt.iterations.map(i => [i.n, i.step, i.end, i.counted, i.ms])).toEqual([
      [1, 1, 'fail', true, MINUTE],
      [2, 2, 'interrupted', false, 10_000],
      [2, 3, 'pass', true, MINUTE],
    ])
    expect(shortReceipt(receipt, style)[1]).toContain('  2 iterations, and 1 that does not count · ')
    expect(shortReceipt(receipt, style)[1]).toMatch(/ · 2m10s at work, resumed twice$/)
  })

  it('tells waits for a limit from work, also with an edit and a pause of a person between', () => {
    const { times, totals } = receiptOf(
      journal()
        .iterate(LIMITED)
        .later(5 * MINUTE)
        .add({ type: 'edited', by: 'person' })
        .later(5 * MINUTE)
        .iterate(LIMITED)
        .add({ type: 'control', hold: 'pause' })
        .later(3 * MINUTE)
        .add({ type: 'control', hold: null })
        .later(MINUTE)
        .iterate(passes)
        .finish('complete', 'complete', 'verified'),
    )
    expect(times).toMatchObject({ waitedMs: 13 * MINUTE, workedMs: 4 * MINUTE })
    expect(totals).toMatchObject({ counted: 1, uncounted: 2 })
  })

  it('goes on while another step is under way, whatever the first one has to wait for', () => {
    const events = journal().start().start().events
    const limited = journal().start().settle(LIMITED).events.slice(2)
    const at = events.at(-1)!.at
    const later = limited.map(event => ({ ...event, at: at + MINUTE, up: at + MINUTE }))
    const end = at + 3 * MINUTE
    const stop: RunEvent = { type: 'stopped', at: end, up: end, why: 'interrupted' }
    expect(receiptOf([...events, ...later, stop]).times).toMatchObject({ workedMs: 3 * MINUTE, waitedMs: 0 })
  })

  it('never runs backwards, whatever the clock does', () => {
    const { times, iterations } = receiptOf(journal().start().later(-MINUTE).end({ ms: 0 }).settle().events)
    expect([times.workedMs, iterations[0]!.ms]).toEqual([0, 0])
  })
})

describe('an iteration', () => {
  const only = (events: RunEvent[]) => receiptOf(events).iterations[0]!

  it('has what it did, found, committed and cost', () => {
    const events = journal().start().end(fails).events
    const settled = journal().start().settle(fails).events.slice(2)
    const at = events.at(-1)!.at + 2000
    const commit: RunEvent = {
      type: 'committed',
      at,
      up: at,
      id: 1,
      by: 'agent',
      from: 'a'.repeat(40),
      to: 'b'.repeat(40),
    }
    const done = settled.map(event => ({ ...event, at, up: at }))
    expect(only([...events, done[0]!, commit, done[1]!])).toEqual({
      n: 1,
      step: 1,
      task: 'prompt',
      title: 'the prompt',
      stage: 'work',
      agent: 'claude',
      end: 'fail',
      counted: true,
      note: '',
      checks: [{ check: 'npm test', verdict: 'fail', note: 'failed with exit code 1', log: 'a.log' }],
      commits: [{ by: 'agent', from: 'a'.repeat(40), to: 'b'.repeat(40) }],
      files: null,
      tokens: { input: 88_000, cached: 73_000, output: 416 },
      usd: 0.11,
      ms: MINUTE + 2000,
    })
  })

  it.each<[IterationOptions, string, string]>([
    [{ end: 'ok', move: 'pass' }, 'pass', ''],
    [{ end: 'ok', move: 'more', note: '2 tool calls were refused' }, 'more', '2 tool calls were refused'],
    [{ end: 'ok', move: null }, 'overruled', ''],
    [{ end: 'ok', move: 'stuck', to: stuck }, 'stuck', stuck.why],
    [{ end: 'error', note: '\n Invalid API key\nmore' }, 'error', 'Invalid API key'],
    [{ end: 'timeout', note: 'x' }, 'timeout', 'x'],
    [{ end: 'inactive', move: 'more', note: 'x' }, 'inactive', 'x'],
    [{ end: 'empty', note: 'x' }, 'empty', 'x'],
    [{ end: 'limited', note: 'x' }, 'limited', 'x'],
    [{ end: 'interrupted', note: 'x' }, 'interrupted', 'x'],
  ])('%j is told as %s', (told, end, note) => {
    expect(only(journal().iterate(told).events)).toMatchObject({ end, note })
  })

  it('of which the agent is through but nothing is settled has a cost and no verdict', () => {
    expect(only(journal().start().end(fails).events)).toMatchObject({
      end: 'unsettled',
      usd: 0.11,
      checks: [],
    })
  })

  it('of ralph itself counts for no limit and lacks no price', () => {
    const events = journal().start({ agent: null }).events
    const settled = { ...journal().start().settle({ move: 'pass' }).events[2]!, patch: { n: 0 } } as RunEvent
    const { totals, agents } = receiptOf([...events, settled])
    expect([totals.counted, totals.unpriced, agents]).toEqual([0, 0, []])
  })
})

describe('the rest of a receipt', () => {
  it('names what is left, where it stands and why', () => {
    const pen = journal({
      tasks: [
        ['T1', 'Cart'],
        ['T2', 'Price'],
        ['T3', 'Tax'],
        ['T4', 'Gone'],
      ],
    })
    pen.iterate({ task: 'T1', move: 'pass' }).iterate({ task: 'T4', move: 'more' })
    pen.iterate({ task: 'T2', stage: 'review', move: 'ask', to: taskState('blocked', 'which tax?') })
    pen.add({ type: 'edited', by: 'person', list: { remove: ['T4'] } })
    expect(receiptOf(pen.events).left).toEqual([
      { id: 'T2', title: 'Price', stage: 'blocked', why: 'which tax?' },
      { id: 'T3', title: 'Tax', stage: null, why: '' },
    ])
  })

  it('says what the stage of a task that is left is, in words', () => {
    const pen = journal({
      tasks: [
        ['T1', 'Cart'],
        ['T2', 'Tax'],
      ],
    })
    pen
      .iterate({ task: 'T1', stage: 'review', move: 'more' })
      .iterate({ task: 'T2', stage: 'work', move: 'more' })
    const stage = { finishedBy: 'signal', tries: 3, moves: {} }
    const stages = { review: { ...stage, title: 'reviewing' }, work: stage }
    const receipt = receiptIn(pen.events, {
      command: 'stories',
      listed: true,
      tableOf: () => ({ stages }) as unknown as StageTable,
    })
    expect(receipt.left.map(({ stage, doing }) => [stage, doing])).toEqual([
      ['review', 'reviewing'],
      ['work', 'begun'],
    ])
    expect(formatOpenTasks(receipt)).toEqual(['T1 · Cart (reviewing)', 'T2 · Tax (begun)'])
  })

  it.each([
    [{ usd: null, unpriced: 0 }, 0, 'none'],
    [{ usd: null, unpriced: 1 }, 1, 'none yet'],
    [{ usd: null, unpriced: 2 }, 1, 'unknown'],
    [{ usd: 0.5, unpriced: 1 }, 1, '$0.50, and 1 call of unknown cost'],
  ])('says what %j cost, with %d under way: %s', (spent, underWay, said) => {
    expect(costRow(spent, underWay)).toBe(said)
  })

  it.each([
    [{ usd: null, unpriced: 1 }, 'unknown'],
    [{ usd: 0.5, unpriced: 0 }, '$0.50'],
    [{ usd: 0.5, unpriced: 1, estimated: true as const }, '~$0.50+'],
  ])('has a short form of %j for a column: %s', (spent, said) => {
    expect(costCell(spent)).toBe(said)
  })

  it('counts what a person decided about a task', () => {
    const pen = journal().iterate({ move: 'more' })
    pen.add({ type: 'edited', by: 'person', state: { prompt: taskState('done') } })
    expect(receiptOf(pen.events).left).toEqual([])
  })

  it('has each warning once, and the agents in the order in which they came', () => {
    const pen = journal().iterate({ agent: 'codex' }).iterate({ agent: 'claude' }).iterate({ agent: 'codex' })
    for (const note of ['a', 'b', 'a']) pen.add({ type: 'warned', note })
    const { warnings, agents } = receiptOf(pen.events)
    expect(warnings).toEqual([
      { note: 'a', times: 2 },
      { note: 'b', times: 1 },
    ])
    expect(agents).toEqual(['codex', 'claude'])
  })

  it('takes the limits of the last incarnation for the command that continues it', () => {
    const pen = journal({ limits: { iterations: 1 } }).iterate(fails)
    pen.finish('exhausted', 'all 1 iterations are used')
    expect(receiptOf(pen.events).resume).toBe(`ralph resume ${ID} -m 11`)
    expect(receiptOf(pen.resume({ iterations: 3 }).events)).toMatchObject({
      ending: { type: 'open' },
      resume: `ralph resume ${ID}`,
    })
  })

  it('needs a journal that begins with its run', () => {
    expect(() => receiptOf([])).toThrow('must begin with the event `began`')
  })
})

describe('what a receipt tells besides', () => {
  it('are the files of each iteration, and all of them counted once', () => {
    const pen = journal()
      .start()
      .end()
      .add({ type: 'changed', id: 1, paths: ['a', 'b'], count: 2 })
    pen
      .settle({ move: 'more' })
      .start()
      .end()
      .add({ type: 'changed', id: 2, paths: ['b', 'c'], count: 300 })
    const { iterations, totals } = receiptOf(
      pen.settle({ move: 'more' }).iterate({ end: 'interrupted' }).events,
    )
    expect(iterations.map(i => i.files)).toEqual([
      { paths: ['a', 'b'], count: 2 },
      { paths: ['b', 'c'], count: 300 },
      null,
    ])
    expect([totals.files, totals.filesCut]).toEqual([3, true])
    expect(receiptOf(journal().iterate(fails).events).totals.files).toBeNull()
  })

  it('are the instructions of the user, and when they were given', () => {
    const pen = journal()
      .add({ type: 'instructed', text: 'first' })
      .iterate(fails)
      .add({ type: 'instructed', text: 'second' })
    expect(receiptOf(pen.events).told).toEqual([
      { text: 'first', before: 1 },
      { text: 'second', before: null },
    ])
  })

  it('is whether a run without an end is at work, and then there is no way on but its own', () => {
    const pen = journal().iterate(fails)
    expect(receiptOf(pen.events, true)).toMatchObject({ ending: { type: 'open', live: true }, resume: null })
    expect(receiptOf(pen.events, false).resume).toBe(`ralph resume ${ID}`)
    const paused = pen.add({ type: 'control', hold: 'pause' }).events
    expect(receiptOf(paused, true).resume).toBe(`ralph resume ${ID}`)
  })

  it('is none once a person cancelled all that is left', () => {
    const to = taskState('blocked', 'cancelled by a person')
    const pen = journal({ tasks: [['#1', 'One']] }).iterate({ task: '#1', to })
    const receipt = receiptOf(pen.finish('blocked', '#1 cancelled by a person'))
    expect([receipt.resume, formatNextStep(receipt)]).toEqual([null, 'a new run: what is left was cancelled'])
  })

  it('is that it was undone, and until it goes on', () => {
    const pen = journal().iterate(fails).later(MINUTE).add({ type: 'undone', saved: 'refs/ralph/x/1' })
    expect(receiptOf(pen.events)).toMatchObject({ undone: 'refs/ralph/x/1', times: { workedMs: MINUTE } })
    expect(receiptOf(pen.events).resume).toBeNull()
    expect(formatNextStep(receiptOf(pen.events))).toBe('a new run: this one was undone')
    expect(receiptOf(pen.resume().events).undone).toBeNull()
    expect(receiptOf(pen.events).resume).toBe(`ralph resume ${ID}`)
  })
})
