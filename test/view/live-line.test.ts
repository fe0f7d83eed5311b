import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { liveLine } from '../../src/view/live-line.ts'
import { styleOf } from '../../src/view/style.ts'

const started = (id: number, at = 0): RunEvent => ({
  type: 'started',
  at,
  id,
  task: 'p',
  stage: 'work',
  agent: 'claude',
  n: id,
})
const tool = (name: string, summary: string, id = 1): RunEvent => ({
  type: 'agent',
  at: 1,
  id,
  event: { type: 'tool', id: 't', name, summary },
})
const checking = (check: string, at = 0): RunEvent => ({ type: 'checking', at, id: 1, check })
const checked = (check: string): RunEvent => ({
  type: 'checked',
  at: 1,
  id: 1,
  finding: { check, verdict: 'pass', note: '' },
  ms: 1,
  exit: null,
})

function lineAfter(
  events: RunEvent[],
  { streamAgent = false, emoji = true, limit = 10 as number | null } = {},
) {
  const style = styleOf({ color: false, emoji })
  const live = liveLine({ style, streamAgent, limit, clock: at => `t${at}` })
  for (const event of events) live.onEvent(event)
  return (now: number, columns = 79) => {
    expect(live.isBusy()).toBe(live.line(now, columns) !== '')
    return live.line(now, columns)
  }
}

describe('the live status', () => {
  it('tells iteration, agent, time, how many tools and which', () => {
    const line = lineAfter([started(2), tool('Read', 'a', 2), tool('Edit', 'cart.js', 2)])
    expect(line(72_000)).toMatch(/^ {2}\S iteration 2 of 10 · claude · 1m12s · 2 tools · Edit\(cart\.js\)$/)
    expect(lineAfter([started(1)], { limit: null })(500)).toMatch(/^ {2}\S iteration 1 · claude · 0s$/)
  })

  it('turns and counts on while nothing is heard', () => {
    const line = lineAfter([started(1)])
    expect(line(250)).not.toBe(line(0))
    expect(line(9_999)).toContain('· 9s')
    expect(line(10_000)).toContain('· 10s')
    expect(lineAfter([started(1)], { emoji: false })(0)).toMatch(/^ {2}[-\\|/] iteration/)
  })

  it('leaves out an agent whose stream is shown', () => {
    expect(lineAfter([started(1)], { streamAgent: true })(0)).toBe('')
  })

  it('tells of checks whatever the agent shows, each with its time, until it is over', () => {
    const streamAgent = true
    expect(lineAfter([checking('npm test')], { streamAgent })(34_000)).toBe('  … npm test · 34s')
    const two = [checking('npm test'), checking('lint', 30_000)]
    expect(lineAfter(two, { streamAgent })(34_000)).toBe('  … npm test · 34s  … lint · 4s')
    expect(lineAfter([...two, checked('npm test')], { streamAgent })(34_000)).toBe('  … lint · 4s')
    expect(lineAfter([...two, checked('npm test'), checked('lint')], { streamAgent })(34_000)).toBe('')
  })

  it('drops a check with its iteration, or with the baseline, whatever its finding was called', () => {
    const settled = { type: 'settled', at: 1, id: 1, end: 'ok' } as RunEvent
    expect(lineAfter([checking('npm test'), checked('another name'), settled])(0)).toBe('')
    const before: RunEvent = { type: 'checking', at: 0, id: null, check: 'npm test' }
    expect(lineAfter([before, { type: 'baseline', at: 1, findings: [] }])(0)).toBe('')
  })

  it('counts down to the end of a wait', () => {
    const waiting: RunEvent = { type: 'waiting', at: 0, until: 723_000, why: 'usage limit' }
    const line = lineAfter([waiting])
    expect(line(0)).toBe('  waiting until t723000 · 12m3s left (usage limit)')
    expect(line(719_500)).toBe('  waiting until t723000 · 3s left (usage limit)')
    expect(line(800_000)).toBe('  waiting until t723000 · 0s left (usage limit)')
    expect(lineAfter([waiting, started(1)])(0)).toContain('iteration 1')
    expect(lineAfter([waiting, started(1)], { streamAgent: true })(0)).toBe('')
  })

  it.each<RunEvent>([
    { type: 'stopped', at: 1, why: 'x' },
    { type: 'finished', at: 1, result: 'blocked', proof: null, why: 'x' },
  ])('is gone when the run is: %j', end => {
    const waiting: RunEvent = { type: 'waiting', at: 0, until: 9, why: 'x' }
    expect(lineAfter([started(1), checking('npm test'), waiting, end])(0)).toBe('')
  })

  it('fits the width, and of a long check the name gives way', () => {
    const long = 'npm run a-very-long-check-name -- --with --many --options'
    expect(lineAfter([checking(long)])(34_000, 39)).toBe('  … npm run a-very-long-check-na… · 34s')
    expect(lineAfter([started(1), tool('Bash', long)])(0, 39)).toHaveLength(39)
  })
})
