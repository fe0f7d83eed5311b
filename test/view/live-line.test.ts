import { describe, expect, it } from 'vitest'
import type { AgentEvent, RunEvent } from '../../src/core/events.ts'
import { initial, type Limits } from '../../src/core/table.ts'
import { liveLine } from '../../src/view/live-line.ts'
import { styleOf } from '../../src/view/style.ts'
import { widthOf } from '../../src/view/text/width.ts'
import { agentSays, checked, started } from './run-events.ts'

const tool = (name: string, summary: string, id = 1): RunEvent =>
  agentSays({ type: 'tool', id: 't', name, summary }, id)
const TOOL: AgentEvent = { type: 'tool', id: 't', name: 'Bash', summary: 'npm test' }
const ENDED = { type: 'settled', at: 1000, id: 1, end: 'ok' } as RunEvent
const checking = (check: string, at = 0): RunEvent => ({ type: 'checking', at, id: 1, check })
const passed = (check: string): RunEvent => checked({ check, verdict: 'pass', note: '' })

const began: RunEvent = {
  type: 'began',
  v: 2,
  at: 0,
  id: 'r',
  project: '/p',
  workflow: 'run',
  limits: initial.limits,
  tasks: [],
  pins: {},
}

function lineAfter(
  events: RunEvent[],
  {
    emoji = true,
    hasKeys = false,
    limit = 10 as number | null,
    spent = { usd: 0, tokens: 0 },
    limits = {} as Partial<Limits>,
  } = {},
) {
  const style = styleOf({ color: false, emoji })
  const state = () => ({ spent, limits: { ...initial.limits, ...limits } })
  const live = liveLine({ style, limit, clock: at => `t${at}`, project: '/p', hasKeys, state })
  for (const event of events) live.onEvent(event)
  return (now: number, columns = 79) => {
    expect(live.isBusy()).toBe(live.line(now, columns) !== '')
    return live.line(now, columns)
  }
}

describe('the live line', () => {
  it('tells iteration, time, and what the agent does now', () => {
    const events = [started(2), tool('Read', 'a', 2), tool('command_execution', 'cat /p/cart.js', 2)]
    expect(lineAfter(events)(72_000)).toMatch(/^ {2}\S iteration 2 of 10 · 1m12s · Bash\(cat cart\.js\)$/)
    expect(lineAfter([started(1)], { limit: null })(500)).toMatch(
      /^ {2}\S iteration 1 · 0s · starting claude$/,
    )
  })

  it.each<[string, AgentEvent[], string]>([
    ['has begun', [{ type: 'started' }], 'thinking'],
    ['says something', [{ type: 'text', text: 'So.' }], 'thinking'],
    ['has the result of its tool', [TOOL, { type: 'toolResult', id: 't', ok: true, output: '' }], 'thinking'],
    ['has a tool open', [TOOL, { type: 'text', text: 'So.' }], 'Bash(npm test)'],
    ['retries', [{ type: 'retrying', note: 'overloaded' }], 'retrying: overloaded'],
    ['left something running', [{ type: 'background', open: 2 }], 'waiting for 2 tasks in the background'],
    ['has answered', [{ type: 'answered' }], 'ending'],
  ])('of an agent that %s', (_, events, doing) => {
    const line = lineAfter([began, started(1), ...events.map(event => agentSays(event))])(0)
    expect(line).toMatch(/iteration 1 of 10 · 0s · /)
    expect(line.split(' · ').at(-1)).toBe(doing)
  })

  it.each<[string, RunEvent[], string]>([
    ['has begun', [began], 'getting ready · 4s'],
    ['has its baseline', [began, { type: 'baseline', at: 1000, findings: [] }], 'getting ready · 3s'],
    ['runs a check', [began, checking('npm test')], 'check npm test · 4s'],
    ['runs two', [began, checking('npm test'), checking('lint')], 'check npm test and 1 more · 4s'],
    [
      'has the answer',
      [started(1), { type: 'ended', at: 2000, id: 1 } as RunEvent],
      'looking at what changed · 2s',
    ],
    ['has its checks', [checking('npm test'), passed('npm test')], 'finishing the iteration · 3s'],
    [
      'commits',
      [started(1), ENDED, { type: 'committing', at: 2000, id: 1, parent: null, message: 'x' }],
      'committing · 2s',
    ],
    [
      'is between two iterations',
      [started(1), ENDED, { type: 'applied', at: 3000, id: 1 }],
      'getting ready · 1s',
    ],
  ])('never leaves the screen dead: ralph %s', (_, events, doing) => {
    expect(lineAfter(events)(4000).replace(/^ {2}\S /, '')).toBe(doing)
  })

  it('tells what is spent, of what limit, and the keys', () => {
    const spent = { usd: 0.42, tokens: 14_400 }
    expect(lineAfter([started(1)], { spent, hasKeys: true })(0)).toMatch(
      / · starting claude · \$0\.42 · 14K tokens · \? keys$/,
    )
    const limits = { usd: 5, tokens: 2_000_000, ms: 7_200_000 }
    expect(lineAfter([began, started(1)], { spent, limits })(60_000, 120)).toMatch(
      / · 1m0s · starting claude · \$0\.42 of \$5\.00 · 1m0s of 2h0m · 14K of 2\.0M tokens$/,
    )
    expect(lineAfter([started(1)])(0)).not.toMatch(/\$|tokens/)
  })

  it('leaves out facts before what is done, and the keys last', () => {
    const options = { spent: { usd: 0.42, tokens: 14_400 }, hasKeys: true }
    const events = [started(1), tool('Bash', 'npm run a-very-long-check-name -- --with --many --options')]
    const line = lineAfter(events, options)
    expect(line(0, 79)).toMatch(/ · Bash\(npm run .*… · \$0\.42 · 14K tokens · \? keys$/)
    expect(line(0, 58)).toMatch(/ · Bash\(npm .*… · \$0\.42 · \? keys$/)
    for (let columns = 20; columns < 100; columns++)
      expect(widthOf(line(0, columns))).toBeLessThanOrEqual(columns)
  })

  it('turns and counts on while nothing is heard', () => {
    const line = lineAfter([started(1)])
    expect(line(250)).not.toBe(line(0))
    expect(line(9_999)).toContain('· 9s')
    expect(line(10_000)).toContain('· 10s')
    expect(lineAfter([started(1)], { emoji: false })(0)).toMatch(/^ {2}[-\\|/] iteration/)
  })

  it('drops a check with its iteration, or with the baseline, whatever its finding was called', () => {
    expect(lineAfter([checking('npm test'), passed('another name'), ENDED])(0)).not.toContain('npm test')
    const before: RunEvent = { type: 'checking', at: 0, id: null, check: 'npm test' }
    expect(lineAfter([before, { type: 'baseline', at: 1, findings: [] }])(0)).not.toContain('npm test')
  })

  it('counts down to the end of a wait', () => {
    const waiting: RunEvent = { type: 'waiting', at: 0, until: 723_000, why: 'usage limit' }
    const line = lineAfter([waiting])
    expect(line(0)).toBe('  waiting until t723000 · 12m3s left (usage limit)')
    expect(line(719_500)).toBe('  waiting until t723000 · 3s left (usage limit)')
    expect(line(800_000)).toBe('  waiting until t723000 · 0s left (usage limit)')
    expect(lineAfter([waiting], { hasKeys: true })(0)).toBe(
      '  waiting until t723000 · 12m3s left · Enter tries now (usage limit) · ? keys',
    )
    expect(lineAfter([waiting, started(1)])(0)).toContain('iteration 1')
  })

  it('tells that the run is paused, or will be', () => {
    const pause: RunEvent = { type: 'control', at: 1000, hold: 'pause' }
    const hasKeys = true
    expect(lineAfter([began, pause], { hasKeys })(66_000)).toBe('  paused · 1m5s · p continues · ? keys')
    expect(lineAfter([began, pause])(66_000)).toBe('  paused · 1m5s · to go on: ralph resume')
    expect(lineAfter([began, started(1), pause])(0)).toContain('starting claude, then a pause')
    expect(lineAfter([began, pause, { type: 'control', at: 2, hold: null }])(0)).toContain('getting ready')
  })

  it.each<RunEvent>([
    { type: 'stopped', at: 1, why: 'x' },
    { type: 'finished', at: 1, result: 'blocked', proof: null, why: 'x' },
    { type: 'asking', at: 1, id: 1, what: 'the plan' },
  ])('is gone when the run is, and while somebody is asked: %j', end => {
    const waiting: RunEvent = { type: 'waiting', at: 0, until: 9, why: 'x' }
    expect(lineAfter([began, started(1), checking('npm test'), waiting, end])(0)).toBe('')
  })
})
