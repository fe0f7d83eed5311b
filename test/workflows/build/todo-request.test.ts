import { expect, it } from 'vitest'
import { todoEdit } from '../../../src/workflows/build/rules/todo-request.ts'
import { tasks as build } from '../../../src/workflows/build/table.ts'
import { play, task } from '../../core/play.ts'

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
