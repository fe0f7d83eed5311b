import { describe, expect, it } from 'vitest'
import type { StageTable } from '../../src/core/table.ts'
import { shownTasks } from '../../src/core/todo.ts'
import { green, ok, play, red, task } from './play.ts'

/** Its words are no other workflow's: the kernel must take them from the table. */
const table = (more: Partial<StageTable> = {}): StageTable => ({
  name: 'soup',
  first: 'cook',
  width: 1,
  rounds: 0,
  bugs: 1,
  stages: {
    shop: { ends: 'checks', tries: 1, listed: false, on: { pass: 'done' } },
    cook: { ends: 'checks', tries: 2, role: 'planner', on: { pass: 'done', fail: 'bugfix' } },
    rescue: { ends: 'checks', tries: 2, on: { pass: 'done', fail: 'rescue', spent: 'blocked' } },
  },
  ...more,
})

describe('a table', () => {
  it('says which tasks only prepare the list', () => {
    const run = play(table(), [task('list', { first: 'shop' }), task('soup')])
    expect(shownTasks(run.tasks, table()).map(({ id }) => id)).toEqual(['soup'])
  })

  it('is not complete when all that was done was preparing the list', () => {
    const run = play(table(), [task('list', { first: 'shop' })])
    run.step(ok({ findings: [green] }))
    expect(run.decide()).toMatchObject({ result: 'blocked', why: 'the list is empty' })
  })

  it.each([
    ['where it says', { bugStage: 'rescue' }, 'rescue'],
    ['at its first stage where it says nothing', {}, 'cook'],
  ])('starts bug-fix tasks %s', (_, more, stage) => {
    const run = play(table(more), [task('soup')])
    run.step(ok({ findings: [red] }))
    expect(run.at('soup-bug-1').stage).toBe(stage)
  })
})
