import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../../src/core/events.ts'
import { endingOf, resumeCommand, runPhase, undoneIn } from '../../../src/view/report/ending.ts'
import { iterationsOf } from '../../../src/view/report/iterations.ts'
import { spentOn } from '../../../src/view/report/spent.ts'
import { rowOf } from '../../../src/view/screens/rows.ts'
import { journal, taskState } from '../report-journal.ts'
import { factsOf } from './scene.ts'

const TASKS: [string, string][] = [
  ['#1', 'One'],
  ['#2', 'Two'],
]
const begun = () => journal({ tasks: TASKS })
const asked = { task: '#1', move: 'ask' as const, to: taskState('blocked', 'Which one?') }

const JOURNALS: Record<string, RunEvent[]> = {
  'at work': begun().iterate({ task: '#1', move: 'more' }).start({ task: '#1' }).events,
  'that asks': begun().iterate(asked).finish('blocked', '#1 waits'),
  'that was answered': begun()
    .iterate(asked)
    .resume()
    .iterate({ task: '#1', move: 'pass' })
    .start({ task: '#2' }).events,
  'at its limit': begun().iterate({ task: '#1', usd: 1 }).finish('exhausted', 'all iterations are used'),
  'that was undone': [
    ...begun().iterate({ task: '#1' }).finish('failures', 'five in a row'),
    { type: 'undone', at: 9, saved: 'refs/x' },
  ],
  'whose last call was limited': journal({ tasks: TASKS, limits: { iterations: 1 } })
    .iterate({ task: '#1' })
    .iterate({ task: '#1', end: 'limited' })
    .finish('limited', 'too long'),
  'that was paused': begun().iterate({ task: '#1' }).add({ type: 'control', hold: 'pause' }).events,
  'whose host was allowed': begun()
    .add({ type: 'denied', host: 'a.org' })
    .add({ type: 'denied', host: 'b.org' })
    .add({ type: 'allowed', host: 'a.org' }).events,
}

describe.each(Object.entries(JOURNALS))('of a run %s, the latest events', (_, events) => {
  const facts = factsOf(events)
  const { latest, state, spent } = facts

  it.each([true, false])('tell as much as all of them do; live: %s', live => {
    const about = (known: readonly RunEvent[]) => [
      endingOf(known, live),
      runPhase(known, state, live, 0),
      undoneIn(known),
      resumeCommand(known, {}, endingOf(known, live), spent, facts),
    ]
    expect(about(latest)).toEqual(about(events))
  })
})

describe('what a run needs', () => {
  const needsOf = (events: readonly RunEvent[]) => {
    const facts = factsOf(events)
    const row = rowOf(facts, { worker: null, isAtWork: true, now: facts.lastEvent.at })
    return row.needs.map(({ why }) => why)
  }

  it('is gone once it was answered, or allowed', () => {
    expect(needsOf(JOURNALS['that asks']!)).toContain('Which one?')
    expect(needsOf(JOURNALS['that was answered']!)).toEqual([])
    expect(needsOf(JOURNALS['whose host was allowed']!)).toEqual(['the sandbox refused b.org'])
  })
})

describe('a long run', () => {
  it('keeps no more of it than its latest iterations, and the sum of all', () => {
    const pen = begun()
    for (let n = 0; n < 3000; n++) pen.iterate({ task: '#1', move: 'more', usd: 0.5, tokens: [10, 5, 1] })
    const facts = factsOf(pen.events)
    expect(facts.latest.length).toBeLessThan(20)
    expect(facts.iterations).toHaveLength(1000)
    expect(facts.iterations.at(-1)?.n).toBe(3000)
    expect(facts.spent).toEqual(spentOn(iterationsOf(pen.events)))
    expect(facts.counts.get('#1')).toBe(3000)
  })
})
