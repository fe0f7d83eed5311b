import { describe, expect, it } from 'vitest'
import type { Outcome, RunEvent } from '../../../src/core/events.ts'
import type { Task } from '../../../src/core/task.ts'
import { progressNotes } from '../../../src/workflows/build/rules/progress.ts'
import { buildTable as build } from '../../../src/workflows/build/table.ts'
import { green, LIMITS, ok, play, task, trouble } from '../../core/play.ts'

const T0 = '1970-01-01T00:00:01.000Z'
const AT = { at: 1000 }
const details = {
  description: 'Create POST /api/auth\nwith JWT',
  acceptanceCriteria: ['200 with a token', '401 without'],
}
const red = {
  check: 'npm test',
  verdict: 'fail' as const,
  note: 'Guardrail "npm test" failed with exit code 1.\nOutput file: x.log\n## Iteration 9 — #9: fake',
}

/** A run whose events are written down as they happen. */
function logged(list: Task[], goal = 'Build it') {
  const run = play(build(), list)
  const note = progressNotes(goal)
  let text = note({
    type: 'began',
    ...AT,
    v: 2,
    id: 'r1',
    project: '/',
    workflow: 'build',
    limits: LIMITS,
    tasks: list,
    pins: {},
  })
  const write = (event: RunEvent) => {
    text += note(event)
  }
  return {
    run,
    write,
    get text() {
      return text
    },
    step(outcome: Outcome, said = '') {
      const step = run.begin()
      write({ type: 'started', ...step })
      const result = { type: 'ended' as const, ok: true, text: said }
      write({
        type: 'ended',
        ...AT,
        id: step.id,
        how: 'exited',
        exit: { code: 0, signal: null },
        ms: 1,
        result,
        stoppedByRalph: false,
      })
      write({ ...run.land(step.id, outcome), ...AT })
    },
    /** What came last, behind the entry with this title. */
    since: (title: string) => text.slice(text.lastIndexOf(`\n## ${title}`) + 1),
  }
}

describe('progress.txt', () => {
  it('begins with the goal and the list', () => {
    const log = logged([task('#1', { spec: details }), task('#2', { blockedBy: ['#1'] })], 'Build it\n# well')
    expect(log.text).toBe(`# Progress of r1

Goal: Build it
  # well
Started: ${T0}

## Plan: 2 tasks
- #1: Do #1
  Description: Create POST /api/auth with JWT
  Acceptance criteria:
  - 200 with a token
  - 401 without
- #2: Do #2 › blocked by #1
`)
  })

  it('has the list once it is made, and every failed attempt at it', () => {
    const log = logged([task('plan', { first: 'decompose' })])
    expect(log.text).not.toContain('## Plan')
    log.step(ok({ findings: [{ check: 'the plan', verdict: 'fail', note: 'task #1: no' }] }))
    expect(log.since('Iteration')).toContain('✗ Status: failing')
    expect(log.since('Iteration')).toContain('- Error: the plan: task #1: no\n')
    log.step(ok({ yields: [task('#1')] }))
    expect(log.since('Plan')).toBe('## Plan: 1 task\n- #1: Do #1\n')
  })

  it('tells of a completed task in the documented form', () => {
    const log = logged([task('#1', { spec: details })])
    log.step(ok({ findings: [green] }), 'Added the endpoint.\n\nTests pass.')
    log.write({ type: 'committed', ...AT, id: 1, by: 'ralph', from: null, to: 'abcdef0123456789' })
    expect(log.since('Iteration')).toBe(`## Iteration 1 — #1: Do #1
Description: Create POST /api/auth with JWT
Acceptance criteria:
- 200 with a token
- 401 without

Progress:
- ✓ Status: completed (${T0})
- The agent said:
  > Added the endpoint.
  > Tests pass.
- Committed as abcdef0123
`)
  })

  it('says which iteration a commit is of, where another entry came in between', () => {
    const log = logged([task('#1')])
    log.step(ok({ findings: [green] }))
    log.write({ type: 'edited', ...AT, by: 'agent', list: { add: [{ task: task('#2'), after: '#1' }] } })
    log.write({ type: 'committed', ...AT, id: 1, by: 'ralph', from: null, to: 'abcdef0123456789' })
    expect(log.since('List changed')).toBe(`## List changed by the agent (${T0})
- Added #2: Do #2

## Iteration 1, committed (${T0})
- Committed as abcdef0123
`)
  })

  it('says that a skipped task was skipped', () => {
    const log = logged([task('#1')])
    const state = { '#1': { ...log.run.at('#1'), stage: 'done', why: 'skipped by a person' } }
    log.write({ type: 'edited', ...AT, by: 'person', state })
    expect(log.text).toContain('- #1 is now skipped\n')
  })

  it('tells of a failed task with its error and its bug fix, and of that one whose it is', () => {
    const log = logged([task('#1')])
    log.step(ok({ findings: [green, red] }))
    expect(log.since('Iteration 1')).toBe(`## Iteration 1 — #1: Do #1

Progress:
- ✗ Status: failing (${T0})
- Error: Guardrail "npm test" failed with exit code 1.
  > Output file: x.log
  > ## Iteration 9 — #9: fake
- Bug fix added: #1-bug-1: Fix: Guardrail "npm test" failed with exit code 1.
`)
    log.step(ok({ findings: [green] }))
    expect(log.since('Iteration 2')).toContain(
      '— #1-bug-1: Fix: Guardrail "npm test" failed with exit code 1.\nBug fix for #1\n',
    )
  })

  it('tells of a task that asks, of an agent in trouble, and not of what was no iteration', () => {
    const log = logged([task('#1'), task('#2')])
    log.step({ end: 'limited', note: 'later' })
    log.step(trouble('interrupted'))
    expect(log.text).not.toContain('## Iteration')
    log.step(trouble('timeout'))
    expect(log.since('Iteration')).toContain(`- ◉ Status: in progress (${T0})\n- Error: timeout: timeout\n`)
    log.step(ok({ asks: 'Which\ndatabase?' }))
    expect(log.since('Iteration')).toContain(`- ✗ Status: failing (${T0})\n- Blocked: Which database?\n`)
  })

  it('keeps the user’s instructions, edits, resumptions and the end', () => {
    const log = logged([task('#1')])
    const done = { ...log.run.at('#1'), stage: 'done' }
    log.write({ type: 'instructed', ...AT, text: 'also handle errors\n## Iteration 7' })
    log.write({
      type: 'edited',
      ...AT,
      by: 'agent',
      list: { add: [{ task: task('#2'), after: '#1' }], order: ['#2', '#1'] },
    })
    log.write({
      type: 'edited',
      ...AT,
      by: 'person',
      list: { remove: ['#2'], change: { '#1': { title: 'x' } } },
      state: { '#1': done },
    })
    log.write({ type: 'edited', ...AT, by: 'person' })
    log.write({ type: 'stopped', ...AT, why: 'interrupted' })
    log.write({ type: 'resumed', ...AT, limits: LIMITS })
    log.write({ type: 'finished', ...AT, result: 'complete', proof: 'verified', why: 'complete' })
    expect(log.since('User instruction')).toBe(`## User instruction (${T0})
also handle errors
  ## Iteration 7

## List changed by the agent (${T0})
- Added #2: Do #2
- Reordered

## List changed by a person (${T0})
- Removed #2: Do #2
- Changed #1
- #1 is now completed

## Stopped (${T0})
interrupted

## Resumed (${T0})

## End: complete, verified (${T0})
complete
`)
  })

  it('keeps only the beginning of what an agent or a check said', () => {
    const log = logged([task('#1')])
    const long = 'word\n'.repeat(5000)
    log.step(ok({ findings: [{ ...red, note: long }] }), 'x'.repeat(100_000))
    expect(log.since('Iteration').length).toBeLessThan(2500)
    expect(log.since('Iteration').match(/^ {2}> …$/gm)).toHaveLength(2)
  })

  it('only ever grows, and grows the same when the journal is replayed', () => {
    const tell = () => {
      const log = logged([task('#1'), task('#2', { blockedBy: ['#1'] })])
      const texts = [log.text]
      for (const findings of [[red], [green], [green], [green]]) {
        log.step(ok({ findings }), 'said')
        texts.push(log.text)
      }
      return texts
    }
    const texts = tell()
    for (const [n, text] of texts.slice(1).entries()) expect(text.startsWith(texts[n]!)).toBe(true)
    expect(texts.at(-1)!.match(/^## Iteration (\d) — (\S+):/gm)).toEqual([
      '## Iteration 1 — #1:',
      '## Iteration 2 — #1-bug-1:',
      '## Iteration 3 — #1:',
      '## Iteration 4 — #2:',
    ])
    expect(tell()).toEqual(texts)
  })

  it('is this, word for word, where a refined goal is planned and built', () => {
    const log = logged([task('plan', { first: 'refine' })], 'a game')
    log.step(ok({ signal: true, note: 'A snake game.' }), 'refined')
    log.step({ end: 'limited', note: 'later' })
    log.step(ok({ yields: [task('#1'), task('#2', { blockedBy: ['#1', '#3'] }), task('#3')] }), 'planned')
    log.step(ok({ findings: [green] }), 'Made.')
    log.write({ type: 'applied', ...AT, id: 4 })
    log.write({ type: 'committed', ...AT, id: 4, by: 'agent', from: null, to: '1111111111aa' })
    log.write({ type: 'committed', ...AT, id: 4, by: 'ralph', from: null, to: '2222222222aa' })
    log.write({ type: 'finished', ...AT, result: 'exhausted', proof: null, why: 'the limit' })
    expect(log.text).toBe(`# Progress of r1

Goal: a game
Started: ${T0}

## Goal, refined (${T0})
A snake game.

## Plan: 3 tasks
- #1: Do #1
- #2: Do #2 › blocked by #1, #3
- #3: Do #3

## Iteration 3 — #1: Do #1

Progress:
- ✓ Status: completed (${T0})
- The agent said:
  > Made.
- Committed by the agent as 1111111111
- Committed as 2222222222

## End: exhausted (${T0})
the limit
`)
  })

  it('does not repeat a goal that was clear', () => {
    const log = logged([task('plan', { first: 'refine' })], 'a game')
    const before = log.text
    log.step(ok({ signal: true, note: ' a game\n' }))
    expect(log.text).toBe(before)
  })

  it('has a failed attempt to refine, and says in whose words another plan is wanted', () => {
    const log = logged([task('plan', { first: 'refine' })])
    log.step(ok({ findings: [{ check: 'the goal', verdict: 'fail', note: 'no' }], note: 'x' }))
    expect(log.text).not.toContain('Goal, refined')
    expect(log.since('Iteration 1')).toContain('- Error: the goal: no\n')
    const before = log.text
    log.step(ok({ signal: true, note: 'Build it' }))
    log.step(ok({ findings: [{ check: 'a person', verdict: 'unsure', note: '' }] }))
    expect(log.text).toBe(before)
    const wishes = { words: ['smaller', 'with tests\n# x'], plan: [] }
    log.write({ type: 'noted', ...AT, workflow: 'build', key: 'goal', value: 'Build it' })
    expect(log.text).toBe(before)
    log.write({ type: 'noted', ...AT, workflow: 'build', key: 'wishes', value: wishes })
    expect(log.text).toBe(`${before}\n## Another plan wanted (${T0})\nwith tests\n  # x\n`)
  })

  it('says as which commit a task was merged', () => {
    const log = logged([task('#1')])
    const before = log.text
    log.write({ type: 'merged', ...AT, id: 1, workspace: 'w', from: 'f', to: 'abcdef0123456789' })
    expect(log.text).toBe(`${before}- Merged as abcdef0123\n`)
  })

  it('adds nothing for what is no entry', () => {
    const types = 'baseline spawned committing applied control limits warned doubted prompted agent checking'
    const more = 'checked waiting asked asking changed undone denied allowed'
    const folders = 'opening opened merging rebased landing closed'
    const log = logged([task('#1')])
    const before = log.text
    for (const type of `${types} ${more} ${folders}`.split(' ')) log.write({ type, ...AT } as RunEvent)
    expect(log.text).toBe(before)
  })

  it('names what became of each task that was moved, and what nobody knows any more', () => {
    const log = logged([task('#1'), task('#2'), task('#3')])
    const at = (stage: string) => ({ ...log.run.at('#1'), stage })
    log.write({
      type: 'edited',
      ...AT,
      by: 'ralph',
      list: { remove: ['#9'] },
      state: { '#1': at('work'), '#2': at('blocked'), '#3': at('done') },
    })
    expect(log.since('List')).toBe(`## List changed by ralph (${T0})
- Removed #9: 
- #1 is now open
- #2 is now blocked
- #3 is now completed
`)
  })

  it('has a step that did not come to its end, and one whose start is not on record', () => {
    const log = logged([task('#1')])
    const step = log.run.begin()
    log.write({ type: 'started', ...step })
    log.write({ ...log.run.land(step.id, trouble('error')), ...AT })
    expect(log.since('Iteration')).not.toContain('The agent said')
    log.write({ ...log.run.land(log.run.begin().id, trouble('error')), ...AT })
    expect(log.since('Iteration')).toMatch(/^## Iteration 0 — #1: Do #1/)
    expect(log.since('Iteration')).not.toContain('The agent said')
    log.write({ type: 'committed', ...AT, id: 77, by: 'ralph', from: null, to: 'abc' })
    expect(log.since('Iteration')).toBe(`## Iteration 0, committed (${T0})\n- Committed as abc\n`)
    const before = log.text
    log.write({ ...log.run.land(log.run.begin().id, trouble('error')), ...AT, task: 'gone' })
    expect(log.text).toBe(before)
  })

  it.each([
    ['12 lines whole', 'line\n'.repeat(12), 12, false],
    ['13 lines cut', 'line\n'.repeat(13), 12, true],
    ['1500 characters whole', 'x'.repeat(1500), 1, false],
    ['1501 characters cut', 'x'.repeat(1501), 1, true],
  ])('has %s', (_, said, lines, isCut) => {
    const log = logged([task('#1')])
    log.step(ok({ findings: [green] }), said)
    const shown = log.text.match(/^ {2}> .*$/gm)!
    expect(shown.slice(lines)).toEqual(isCut ? ['  > …'] : [])
    expect(shown[0]!.length).toBeLessThanOrEqual(1500 + '  > '.length)
    expect(shown[0]).toBe(`  > ${said.split('\n')[0]!.slice(0, 1500)}`)
  })
})
