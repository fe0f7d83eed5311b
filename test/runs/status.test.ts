import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { statusLines, statusOf } from '../../src/runs/status.ts'
import { workflows } from '../../src/workflows/index.ts'
import { type IterationOptions, journal } from '../view/report-journal.ts'

const ID = '20260301-221530-k3f'

/** The rows of a status, by name. */
function rows(events: RunEvent[], now = events.at(-1)!.at): Record<string, string> {
  const [, ...lines] = statusLines(statusOf(workflows, events, false, now), now)
  return Object.fromEntries(lines.map(line => [line.slice(2, 11).trim(), line.slice(13)]))
}

describe('the status of a run', () => {
  it('fits a terminal, and breaks at words', () => {
    const events = journal({ limits: { iterations: 1 } })
      .iterate({ move: 'more' })
      .finish('exhausted', `all of it is used: ${'many words '.repeat(20)}`)
    const now = events.at(-1)!.at
    const lines = statusLines(statusOf(workflows, events, false, now), now, 80)
    expect(lines.filter(line => line.length > 80)).toEqual([])
    const last = lines.findIndex(line => line.startsWith('  last'))
    expect(lines[last + 1]).toMatch(/^ {13}(?:many|words) /)
  })

  it.each([
    ['iterations', { iterations: 1 }, 'exhausted', '-m 11'],
    ['money', { usd: 0.1 }, 'budget', '--max-cost 0.2'],
    ['money, far beyond the limit,', { usd: 0.01 }, 'budget', '--max-cost 1'],
    ['tokens', { tokens: 1000 }, 'budget', '--max-tokens 2000'],
  ] as const)('whose %s are used names the command that raises the limit', (_, limits, result, flags) => {
    const told = { move: 'more', usd: 0.11, tokens: [900, 0, 200] } satisfies IterationOptions
    const events = journal({ limits }).iterate(told).finish(result, 'it is used')
    expect(rows(events)['go on']).toBe(`ralph resume ${ID} ${flags}`)
  })

  it('counts no merge as an iteration', () => {
    const pen = journal().iterate({ move: 'more' }).start({ agent: null })
    expect(rows(pen.events).iteration).toMatch(/^1\b/)
  })

  it.each<[IterationOptions[], string]>([
    [[{}], 'cost unknown · 0 tokens, as reported by the agent'],
    [[{ usd: 0.11, tokens: [900, 0, 100] }], '$0.11 · 1K tokens, as reported by the agent'],
    [[{ usd: 0 }, {}], '$0.00, and 1 call of unknown cost · 0 tokens, as reported by the agent'],
  ])('does not take an unknown cost for none', (told, spent) => {
    const pen = journal()
    for (const one of told) pen.iterate({ move: 'more', ...one })
    expect(rows(pen.events).spent).toBe(spent)
  })

  it('never says that something was in the future, though the clock was set back', () => {
    const { events } = journal().iterate({ move: 'more' })
    expect(rows(events, events[0]!.at - 3_600_000).began).toBe('0.0s ago; last event 0.0s ago')
  })
})
