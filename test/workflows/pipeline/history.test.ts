import { describe, expect, it } from 'vitest'
import type { Finding, RunEvent } from '../../../src/core/events.ts'
import { initial, type Move, type TaskState, taskStateOf } from '../../../src/core/table.ts'
import {
  failureReason,
  historyLines,
  historyOf,
  type TaskHistory,
  type TaskStanding,
} from '../../../src/workflows/pipeline/rules/history.ts'
import { pipelineTable } from '../../../src/workflows/pipeline/table.ts'
import { green, ok, play, task, trouble } from '../../core/play.ts'

const verification = (role: string, verdict: Finding['verdict'], note: string): Finding => ({
  check: `${role} verification`,
  verdict,
  note,
})

function played(): RunEvent[] {
  const run = play(pipelineTable({ roles: ['coder', 'reviewer'] }), [task('T1'), task('T2')])
  const events: RunEvent[] = []
  const step = (outcome: Parameters<typeof run.step>[0]) => {
    const { id, task, stage, n } = run.begin()
    events.push({ type: 'started', at: run.now, id, task, stage, agent: 'a', n })
    events.push(run.land(id, outcome))
    run.pass(1000)
  }
  step(ok({ findings: [green] }))
  step(ok({ signal: true, findings: [green, verification('coder', 'fail', 'tests are red\nmore')] }))
  step(trouble('interrupted'))
  step(
    ok({
      signal: true,
      findings: [verification('reviewer', 'pass', 'not mine'), verification('coder', 'pass', 'fine')],
    }),
  )
  step(ok({ signal: true, findings: [verification('reviewer', 'pass', 'good')] }))
  step(ok({ signal: true, findings: [verification('coder', 'unsure', 'nobody knows')] }))
  return events
}

describe('the history of a pipeline', () => {
  it('has each verified promise of each task, with its iteration', () => {
    const rows = historyOf(played())
    expect(rows.map(({ id, iterations }) => [id, iterations])).toEqual([
      ['T1', 4],
      ['T2', 1],
    ])
    expect(rows[0]!.attempts).toEqual([
      {
        role: 'coder',
        iteration: 2,
        promise_found: true,
        verified: false,
        reason: 'tests are red',
        at: 2000,
      },
      { role: 'coder', iteration: 3, promise_found: true, verified: true, reason: 'fine', at: 4000 },
      { role: 'reviewer', iteration: 4, promise_found: true, verified: true, reason: 'good', at: 5000 },
    ])
    const standing = (id: string, more: Partial<TaskState>, waitsFor: string[] = []): TaskStanding => ({
      id,
      title: 'Do it',
      state: { ...taskStateOf(pipelineTable(), initial, task(id)), ...more },
      tries: 5,
      waitsFor,
    })
    const standings = [
      standing('T1', { stage: 'done' }),
      standing('T2', { stage: 'reviewer', tries: 1, rounds: 2 }),
      standing('T3', { stage: 'blocked', why: 'Which key?' }),
      standing('T4', {}, ['T2', 'T3']),
      standing('T5', {}),
      standing('T6', { stage: 'blocked', why: '' }),
      standing('T7', {}, ['T6']),
    ]
    expect(historyLines(standings, rows)).toEqual([
      'T1 Do it: completed',
      '- coder, iteration 2: not verified. tests are red',
      '- coder, iteration 3: verified. fine',
      '- reviewer, iteration 4: verified. good',
      'T2 Do it: reviewer, tried 1 of 5 times, sent back 2 times',
      '- coder, iteration 5: not verified. nobody knows',
      'T3 Do it: Which key?',
      'T4 Do it: waits for T2, T3',
      'T5 Do it: coder, not tried yet',
      'T6 Do it: blocked',
      'T7 Do it: waits for T6',
    ])
  })

  it('has a promise whose start is not on record', () => {
    const settled = played().filter(event => event.type === 'settled')
    expect(historyOf(settled)[0]!.attempts[0]!.iteration).toBe(0)
  })

  it('says why a task failed, in the words of the document', () => {
    const [history] = historyOf(played()) as [TaskHistory]
    const settled = played().find(event => event.type === 'settled')!
    const reason = (stage: string, move: Move) =>
      failureReason(history, { ...settled, stage, move, state: { ...settled.state, why: 'why' } })
    expect(reason('coder', 'spent')).toBe('Max iterations reached. Last verification: fine')
    expect(reason('qa', 'spent')).toBe('Max iterations reached without completion promise')
    expect(reason('coder', 'capped')).toBe('why')
  })
})
