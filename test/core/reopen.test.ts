import { describe, expect, it } from 'vitest'
import { CANCELLED, isGivenUp, reopen } from '../../src/core/reopen.ts'
import type { TaskState } from '../../src/core/table.ts'
import { buildTable } from '../../src/workflows/build/table.ts'
import { storiesTable } from '../../src/workflows/stories/table.ts'
import { green, ok, play, red, task, trouble } from './play.ts'

const submit = ok({ signal: true, findings: [green] })
const reject = ok({ verdict: 'reject', note: 'no tests', findings: [green] })

describe('a run is given up', () => {
  const all = [task('A'), task('C', { blockedBy: ['B'] }), task('B', { blockedBy: ['A'] }), task('D')]
  const isGiven = (taskStates: Record<string, [string, string?]>) =>
    isGivenUp(
      {
        taskStates: Object.fromEntries(
          Object.entries(taskStates).map(([id, [stage, why = '']]) => [id, { stage, why } as TaskState]),
        ),
      },
      all,
    )

  it.each([
    [
      'once a person cancelled all that is left, or what that waits for',
      { A: ['blocked', CANCELLED], D: ['done'] },
      true,
    ],
    ['not while another task is open', { A: ['blocked', CANCELLED] }, false],
    ['not while another waits for a person', { A: ['blocked', CANCELLED], D: ['blocked', 'Which?'] }, false],
    ['not if all is done', { A: ['done'], B: ['done'], C: ['done'], D: ['done'] }, false],
  ] as [string, Record<string, [string, string?]>, boolean][])('%s', (_, states, expected) => {
    expect(isGiven(states)).toBe(expected)
  })
})

describe('a blocked task that is reopened', () => {
  const reopened = (run: ReturnType<typeof play>, table: Parameters<typeof reopen>[0], id: string) => {
    expect(run.at(id).stage).toBe('blocked')
    const edit = reopen(table, run.state, run.tasks, 1)
    return edit?.type === 'edited' ? edit.state?.[id] : null
  }

  it('goes on with the review that was interrupted: what was implemented is not paid for twice', () => {
    const table = storiesTable()
    const run = play(table, [task('A')])
    run.step(submit)
    for (let i = 0; i < 3; i++) run.step(trouble('interrupted'))
    expect(reopened(run, table, 'A')).toMatchObject({ stage: 'review', crashes: 0, tries: 0, why: '' })
  })

  it('goes on with the fix if the last review sent it back', () => {
    for (const findings of [[green], [red]]) {
      const table = storiesTable({ cap: 1, atCap: 'block' })
      const run = play(table, [task('A')])
      run.step(submit)
      run.step({ ...reject, findings })
      expect(reopened(run, table, 'A')).toMatchObject({ stage: 'fix', rounds: 1 })
    }
  })

  it('goes on with the stage whose tries are used up', () => {
    const table = storiesTable()
    const run = play(table, [task('A')])
    run.step(submit)
    run.step(reject)
    for (let i = 0; i < 6; i++) run.step(ok({ findings: [green] }))
    expect(reopened(run, table, 'A')).toMatchObject({ stage: 'fix', tries: 0, rounds: 1 })
  })

  it('goes on with the list if the goal was made clear already', () => {
    const table = buildTable()
    const run = play(table, [task('plan', { first: 'refine' })])
    run.step(ok({ signal: true }))
    for (let i = 0; i < 2; i++) run.step(ok({ findings: [red] }))
    expect(reopened(run, table, 'plan')).toMatchObject({ stage: 'decompose' })
  })

  it('begins anew if nothing says where it was', () => {
    const table = storiesTable()
    const run = play(table, [task('A')])
    run.step(submit)
    for (let i = 0; i < 3; i++) run.step(trouble('interrupted'))
    const { blockedAt: _, ...old } = run.at('A')
    const state = { ...run.state, taskStates: { A: old } }
    expect(reopen(table, state, run.tasks, 1)).toMatchObject({ state: { A: { stage: 'implement' } } })
  })
})
