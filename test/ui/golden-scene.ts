import type { AgentEvent, RunEvent } from '../../src/core/events.ts'
import { outputTail } from '../../src/ui/output-tail.ts'
import { liveLine } from '../../src/view/live-line.ts'
import { morningOf } from '../../src/view/morning/morning.ts'
import { nightOf } from '../../src/view/morning/night.ts'
import type { Size } from '../../src/view/screens/layout.ts'
import type { Model, OverviewRow } from '../../src/view/screens/model.ts'
import { rowOf } from '../../src/view/screens/rows.ts'
import type { RunFacts } from '../../src/view/screens/run-facts.ts'
import { screenStyle } from '../../src/view/style.ts'
import { green, journal, MINUTE, red, taskState } from '../view/report-journal.ts'
import { checked } from '../view/run-events.ts'
import { factsOf, item, modelWith, runWith } from '../view/screens/scene.ts'

const done = { ...taskState('done'), proof: true }

const TASKS: [string, string][] = [
  ['#1', 'Write prices in cents'],
  ['#2', 'Add a cart that adds up'],
  ['#3', 'Add discounts by code'],
  ['#4', 'Print a receipt in \u65e5\u672c\u8a9e, na\u00efvely \u2713'],
]

const cents = (usd: number, tokens: [number, number, number]) => ({ usd, tokens })

/** A build in its fourth iteration: two tasks are done, the third was red once. */
const shopEvents = journal({ tasks: TASKS, limits: { usd: 5, iterations: 20 } })
  .iterate({ task: '#1', move: 'pass', findings: [green()], to: done, ...cents(0.12, [9000, 3000, 800]) })
  .iterate({
    task: '#2',
    move: 'pass',
    findings: [green()],
    to: done,
    ...cents(0.31, [24_000, 18_000, 2100]),
  })
  .iterate({
    ...{ task: '#3', move: 'fail', findings: [red(), green('npm run lint')], note: 'npm test: exit code 1' },
    ...cents(0.22, [14_000, 9000, 1500]),
  })
  .start({ task: '#3' })
  .later(95_000).events

const SAID: readonly AgentEvent[] = [
  { type: 'started', session: 's', model: 'opus', auth: 'subscription' },
  { type: 'text', text: 'I look at how a discount is applied.' },
  { type: 'tool', id: 'a', name: 'Read', summary: 'src/discount.js' },
  { type: 'toolResult', id: 'a', ok: true, output: 'export const codes = {}\nexport const apply = () => 0' },
  {
    type: 'tool',
    id: 'b',
    name: 'Edit',
    summary: 'src/discount.js',
    diff: ['-export const apply = () => 0', '+export const apply = (sum, code) => sum - codes[code]'],
  },
  { type: 'toolResult', id: 'b', ok: true, output: '' },
  { type: 'text', text: 'Codes may be \u6f22\u5b57, \u{1f600} or e\u0301; they are compared as they are.' },
  { type: 'tool', id: 'c', name: 'Bash', summary: 'npm test' },
  { type: 'toolResult', id: 'c', ok: false, output: '1 failing: a discount of 100 % leaves 0\nat apply' },
  {
    type: 'text',
    text: 'The last one fails, because a code that nobody knows gives NaN. I add a check for that, with a test, before I go on to the receipt, which needs the sum as well.',
  },
  { type: 'tool', id: 'd', name: 'Bash', summary: 'npm test -- --watch=false' },
]

/** What the checks said comes before what follows from it. */
const withChecks = (event: RunEvent): RunEvent[] =>
  event.type !== 'settled'
    ? [event]
    : [...event.findings.map(finding => ({ ...checked(finding, 0), at: event.at, id: event.id })), event]

const NOW = shopEvents.at(-1)!.at + 2 * MINUTE

/** One run on the screen, made of its events as the screen makes it. */
export function shop({ columns }: Size): Model {
  const facts = factsOf(shopEvents)
  const style = screenStyle(false)
  const tail = outputTail(style, () => facts)
  const live = liveLine({ style, limit: 20, clock: () => '22:30', state: () => facts.state })
  const { at, id } = shopEvents.findLast(event => event.type === 'started')!
  const said = SAID.map((event): RunEvent => ({ type: 'agent', at, id, event }))
  for (const event of [...shopEvents.flatMap(withChecks), ...said]) {
    tail.add(event)
    live.onEvent(event)
  }
  return modelWith({
    now: NOW,
    run: runWith(facts, {
      row: rowOf(facts, { worker: 'cart', isAtWork: true, now: NOW }),
      items: [
        item('#1', 'Write prices in cents', { status: 'completed' }),
        item('#2', 'Add a cart that adds up', { status: 'completed' }),
        item('#3', 'Add discounts by code', { status: 'in_progress', activeForm: 'Adding discounts' }),
        item('#4', TASKS[3]![1], { blockedBy: ['#3'] }),
      ],
      output: tail.view(columns >= 110 ? columns - 55 : columns, false),
      live: live.line(NOW, columns - 1),
      checks: [
        { check: 'npm test', state: 'fail', note: 'failed with exit code 1', log: 'iter-003/npm_test.log' },
        { check: 'npm run lint', state: 'pass', note: '', log: null },
      ],
      log: { path: 'iter-003/npm_test.log', lines: ['not ok 3 - discounts', '1 failing', 'exit code 1'] },
      auth: 'subscription',
      model: 'opus',
    }),
  })
}

const askingEvents = journal({ tasks: TASKS }).iterate({
  ...{ task: '#1', move: 'ask', note: 'Which database?', to: taskState('blocked', 'Which database?') },
  usd: 0.42,
}).events

const verifiedEvents = journal({ tasks: TASKS })
  .iterate({ task: '#1', move: 'pass', findings: [green()], to: done, usd: 0.05 })
  .add({ type: 'changed', id: 1, paths: ['docs/prices.md'], count: 1 })
  .finish('complete', 'all tasks are done', 'verified')

const crashedEvents = journal({ tasks: TASKS }).start({ task: '#2' }).events

/** All runs of a night: one asks, one is at work, one is verified, one has crashed, one has a wide name. */
export function night(): Model {
  const [asking, verified, crashed] = [askingEvents, verifiedEvents, crashedEvents].map(events =>
    factsOf(events),
  ) as [RunFacts, RunFacts, RunFacts]
  const row = (facts: RunFacts, id: string, isAtWork: boolean, more: Partial<OverviewRow>): OverviewRow => ({
    ...rowOf(facts, { worker: id, isAtWork, now: NOW }),
    id,
    ...more,
  })
  const period = { since: NOW - 60 * MINUTE, now: NOW, words: 'since yesterday 18:00' }
  const nights = [
    { name: 'login', events: askingEvents, live: true },
    { name: 'docs', events: verifiedEvents, live: false },
    { name: 'cart', events: shopEvents, live: true },
  ].map(run => nightOf({ ...run, traits: { command: 'build', listed: true } }, period))
  return modelWith({
    now: NOW,
    morning: morningOf(nights, period, []),
    rows: [
      row(asking, 'login', true, {}),
      row(factsOf(shopEvents), 'cart', true, {}),
      row(verified, 'docs', false, { project: '/home/me/a/very/long/way/to/a/project/of/many/folders' }),
      row(crashed, 'night-build', false, {}),
      row(verified, '\u65e5\u672c\u8a9e-\u{1f600}', false, { at: 'e\u0301te\u0301 \u6f22\u5b57 1/4' }),
    ],
  })
}
