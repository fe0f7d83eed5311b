import { describe, expect, it } from 'vitest'
import { reopen } from '../../src/core/reopen.ts'
import { tasks } from '../../src/workflows/build/table.ts'
import { stories } from '../../src/workflows/stories/table.ts'
import { green, ok, play, red, task, trouble } from './play.ts'

const submit = ok({ signal: true, findings: [green] })
const reject = ok({ verdict: 'reject', note: 'no tests', findings: [green] })

describe('a blocked task that is reopened', () => {
  const reopened = (run: ReturnType<typeof play>, table: Parameters<typeof reopen>[0], id: string) => {
    expect(run.at(id).stage).toBe('blocked')
    const edit = reopen(table, run.state, run.tasks, 1)
    return edit?.type === 'edited' ? edit.state?.[id] : null
  }

  it('goes on with the review that was interrupted: what was implemented is not paid for twice', () => {
    const table = stories()
    const run = play(table, [task('A')])
    run.step(submit)
    for (let i = 0; i < 3; i++) run.step(trouble('interrupted'))
    expect(reopened(run, table, 'A')).toMatchObject({ stage: 'review', crashes: 0, tries: 0, why: '' })
  })

  it('goes on with the fix if the last review sent it back', () => {
    for (const findings of [[green], [red]]) {
      const table = stories({ cap: 1, atCap: 'block' })
      const run = play(table, [task('A')])
      run.step(submit)
      run.step({ ...reject, findings })
      expect(reopened(run, table, 'A')).toMatchObject({ stage: 'fix', rounds: 1 })
    }
  })

  it('goes on with the stage whose tries are used up', () => {
    const table = stories()
    const run = play(table, [task('A')])
    run.step(submit)
    run.step(reject)
    for (let i = 0; i < 6; i++) run.step(ok({ findings: [green] }))
    expect(reopened(run, table, 'A')).toMatchObject({ stage: 'fix', tries: 0, rounds: 1 })
  })

  it('goes on with the list if the goal was made clear already', () => {
    const table = tasks()
    const run = play(table, [task('plan', { first: 'refine' })])
    run.step(ok({ signal: true }))
    for (let i = 0; i < 2; i++) run.step(ok({ findings: [red] }))
    expect(reopened(run, table, 'plan')).toMatchObject({ stage: 'decompose' })
  })

  it('begins anew if an older ralph did not keep where it was', () => {
    const table = stories()
    const run = play(table, [task('A')])
    run.step(submit)
    for (let i = 0; i < 3; i++) run.step(trouble('interrupted'))
    const { blockedAt: _, ...old } = run.at('A')
    const state = { ...run.state, taskStates: { A: old } }
    expect(reopen(table, state, run.tasks, 1)).toMatchObject({ state: { A: { stage: 'implement' } } })
  })
})
