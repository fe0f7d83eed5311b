import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { initial, type RunState, taskStateOf } from '../../src/core/table.ts'
import { projectTodo, readTodo } from '../../src/core/todo.ts'
import { personEdit } from '../../src/workflows/build/rules/todo-edits.ts'
import { green, ok, play, red, task } from './play.ts'
import { item, project, start, table } from './todo-run.ts'

describe('a build’s list', () => {
  it('has five fields, no empty ones, in the order of the list', () => {
    const run = start()
    run.begin()
    expect(project(run)).toEqual([
      { id: '#1', content: 'Do #1', status: 'in_progress', activeForm: 'Doing one' },
      { id: '#2', content: 'Do #2', status: 'pending', activeForm: 'Do #2', blockedBy: ['#1'] },
      { id: '#3', content: 'Do #3', status: 'pending', activeForm: 'Do #3', blockedBy: ['#2', 'gone'] },
    ])
    run.land(1, ok({ findings: [green] }))
    expect(project(run).map(i => [i.status, i.blockedBy])).toEqual([
      ['completed', undefined],
      ['pending', undefined],
      ['pending', ['#2', 'gone']],
    ])
  })

  it('shows a failed task as pending, behind it its bug fix', () => {
    const run = start()
    run.step(ok({ findings: [red] }))
    expect(project(run).slice(0, 2)).toEqual([
      { id: '#1', content: 'Do #1', status: 'pending', activeForm: 'Doing one', blockedBy: ['#1-bug-1'] },
      {
        id: '#1-bug-1',
        content: 'Fix: 2 tests failed',
        status: 'pending',
        activeForm: 'Fixing 2 tests failed',
      },
    ])
  })

  it('says of each item whether it is done, under way or waiting, whatever the order', () => {
    const names = ['#1', '#2', '#3', '#4']
    const list = names.map((id, place) => task(id, { blockedBy: names.slice(0, place) }))
    const DONE = { ...taskStateOf(table, initial, list[0]!), stage: 'done' }
    const lists = [list, [...list].reverse(), list.slice(1)]
    const some = fc.subarray(names)
    fc.assert(
      fc.property(fc.constantFrom(...lists), some, some, (tasks, moved, flying) => {
        // What is not in the list is never done.
        const done = moved.filter(id => tasks.some(listed => listed.id === id))
        const state = {
          ...initial,
          taskStates: Object.fromEntries(moved.map(id => [id, DONE])),
          flight: Object.fromEntries(flying.map((id, n) => [n, { id: n, task: id }])),
        } as unknown as RunState
        expect(projectTodo(tasks, state, table)).toEqual(
          tasks.map(({ id, title, blockedBy }) => {
            const waitsFor = blockedBy.filter(other => !done.includes(other))
            const status = done.includes(id) ? 'completed' : flying.includes(id) ? 'in_progress' : 'pending'
            const shown = { id, content: title, status, activeForm: title }
            return waitsFor.length > 0 ? { ...shown, blockedBy: waitsFor } : shown
          }),
        )
      }),
    )
  })

  it('does not show the planning of it', () => {
    const run = play(table, [task('plan', { first: 'refine' }), task('#1')])
    expect(project(run).map(i => i.id)).toEqual(['#1'])
    expect(personEdit(run.tasks, run.state, table, project(run)).edit).toEqual({})
  })

  it('is read back as it was written, without fields it does not know', () => {
    const items = project(start())
    expect(readTodo(JSON.parse(JSON.stringify(items)))).toEqual({ items })
    expect(readTodo([{ ...item('New'), owner: 'me' }])).toEqual({ items: [item('New')] })
    expect(readTodo([{ ...item('New'), blockedBy: null }])).toEqual({ items: [item('New')] })
    expect(readTodo([{ content: 'New' }])).toEqual({
      items: [{ content: 'New', status: 'pending', activeForm: 'New' }],
    })
  })

  it.each([
    [{}, 'tasks.json must be an array.'],
    [[null], 'item 1: content must be a non-empty string.'],
    [[item('a'), { ...item(' '), id: '#2' }], 'task #2: content must be a non-empty string.'],
    [[{ ...item('a'), status: 'done' }], 'item 1: status must be "pending", "in_progress" or "completed".'],
    [[{ ...item('a'), activeForm: 7 }], 'item 1: activeForm must be a string.'],
    [[{ ...item('a'), blockedBy: '#1' }], 'item 1: blockedBy must be an array of strings.'],
    [[{ ...item('a'), id: 7 }], 'item 1: id must be a string of 1 to 64 characters without spaces.'],
    [
      [item('a', { id: 'x\n## User instruction' })],
      'task x\n## User instruction: id must be a string of 1 to 64 characters without spaces.',
    ],
    [[item('a', { id: '#1' }), item('b', { id: '#1' })], 'task #1: id is used more than once.'],
  ])('%# is refused with a sentence that names item and rule', (json, message) => {
    const read = readTodo(json)
    expect('errors' in read && read.errors[0]).toBe(message)
  })
})
