import { expect, it } from 'vitest'
import { todoEdit } from '../../../src/workflows/build/rules/todo-request.ts'
import { buildTable as build } from '../../../src/workflows/build/table.ts'
import { green, ok, play, red, task } from '../../core/play.ts'

const run = play(build(), [task('#1')])
const edit = (request: unknown) => todoEdit(run.tasks, run.state, build(), request)

it.each([
  [{ action: 'add', text: 'More' }],
  [{ action: 'add', text: 'More', blockedBy: ['#1'] }],
  [{ action: 'edit', task: '#1', text: 'Other' }],
  [{ action: 'done', task: '#1' }],
  [{ action: 'skip', task: '#1' }],
])('a request can be %j', request => {
  expect(edit(request)).not.toHaveProperty('error')
})

it.each([
  [undefined],
  [null],
  ['add'],
  [[]],
  [{}],
  [{ action: 'explode', task: '#1' }],
  [{ action: 'add' }],
  [{ action: 'add', text: 7 }],
  [{ action: 'add', text: 'More', blockedBy: '#1' }],
  [{ action: 'add', text: 'More', blockedBy: [1] }],
  [{ action: 'edit', task: '#1' }],
  [{ action: 'edit', text: 'Other' }],
  [{ action: 'done' }],
  [{ action: 'skip', task: 1 }],
])('a malformed request, %j, is refused', request => {
  expect(edit(request)).toEqual({ error: 'the request could not be read' })
})

it('adds at the end with the next number, whatever it waits for', () => {
  const several = play(build(), [task('#4'), task('#2')])
  const added = (request: object) => todoEdit(several.tasks, several.state, build(), request)
  const more = { id: '#5', title: 'More of it', active: 'More of it', blockedBy: ['#2'] }
  expect(added({ action: 'add', text: ' More\nof it', blockedBy: ['#2'] })).toEqual({
    list: { add: [{ task: more, after: '#2' }] },
  })
  const empty = play(build(), [])
  expect(todoEdit(empty.tasks, empty.state, build(), { action: 'add', text: 'A' })).toEqual({
    list: { add: [{ task: { id: '#1', title: 'A', active: 'A', blockedBy: [] }, after: null }] },
  })
})

it('adds nothing before the plan is made, and something after it', () => {
  const planned = play(build(), [task('plan', { first: 'decompose' })])
  const add = () => todoEdit(planned.tasks, planned.state, build(), { action: 'add', text: 'A' })
  expect(add()).toEqual({
    error: 'the plan is not made yet; to give the planner an instruction, use: ralph tell',
  })
  planned.step(ok({ yields: [task('#1')] }))
  expect(add()).not.toHaveProperty('error')
})

it('names a task that is not there', () => {
  const error = 'there is no task #9; the list has #1'
  expect(edit({ action: 'add', text: 'More', blockedBy: ['#9'] })).toEqual({ error })
  expect(edit({ action: 'done', task: '#9' })).toEqual({ error })
})

it('rewords a task', () => {
  expect(edit({ action: 'edit', task: '#1', text: ' Other\nwords' })).toEqual({
    list: { change: { '#1': { title: 'Other words', active: 'Other words' } } },
  })
})

it.each([
  ['done', 'completed by a person'],
  ['skip', 'skipped by a person'],
])('closes a task by %s, with its open bug fixes and no other task, once', (action, why) => {
  const failed = play(build(), [task('#1'), task('#2')])
  failed.step(ok({ findings: [red] }))
  failed.step(ok({ findings: [green] }))
  failed.step(ok({ findings: [red] }))
  const closed = todoEdit(failed.tasks, failed.state, build(), { action, task: '#1' })
  expect(closed).toEqual({
    state: {
      '#1': expect.objectContaining({ stage: 'done', why, bugs: 2, proof: false }),
      '#1-bug-2': expect.objectContaining({ stage: 'done', why }),
    },
  })
  expect(todoEdit(failed.tasks, failed.state, build(), { action, task: '#1-bug-1' })).toEqual({
    error: '#1-bug-1 is already completed',
  })
})
