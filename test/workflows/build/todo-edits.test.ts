import { describe, expect, it } from 'vitest'
import type { TodoItem } from '../../../src/core/events.ts'
import { agentEdit, personEdit } from '../../../src/workflows/build/rules/todo-edits.ts'
import { green, ok, play, red, task } from '../../core/play.ts'
import { item, project, type Run, start, table } from '../../core/todo-run.ts'

describe('a person’s edit of the list', () => {
  /** Reads, adopts, reads the same items again, projects and reads that. */
  const adopt = (run: Run, items: TodoItem[]) => {
    const { edit } = personEdit(run.tasks, run.state, table, items)
    run.record({ type: 'edited', at: 0, by: 'person', ...edit })
    expect(personEdit(run.tasks, run.state, table, items)).toEqual({ edit: {}, refused: [] })
    expect(personEdit(run.tasks, run.state, table, project(run)).edit).toEqual({})
    return edit
  }

  it('adds with the next number, in its place', () => {
    const run = start()
    const [one, two, three] = project(run)
    adopt(run, [
      item('First'),
      one!,
      item('More'),
      two!,
      three!,
      item('More', { id: 'mine', blockedBy: ['#1'] }),
    ])
    expect(project(run).map(i => [i.id, i.content, i.blockedBy])).toEqual([
      ['#4', 'First', undefined],
      ['#1', 'Do #1', undefined],
      ['#5', 'More', undefined],
      ['#2', 'Do #2', ['#1']],
      ['#3', 'Do #3', ['#2', 'gone']],
      ['mine', 'More', ['#1']],
    ])
  })

  it('lets what it adds wait only for what is in the list, and says so', () => {
    const run = start()
    const items = [...project(run), item('More', { id: '#4', blockedBy: ['#3', '#9', '#4'] })]
    const { edit, refused } = personEdit(run.tasks, run.state, table, items)
    expect(edit.list?.add?.[0]?.task.blockedBy).toEqual(['#3'])
    expect(refused).toEqual([
      '#4 does not wait for #9, which is not in the list.',
      '#4 does not wait for #4, which is the task itself.',
    ])
  })

  it('lets what it adds not wait in a circle, and says so', () => {
    const run = start()
    const added = [
      item('A', { id: 'a', blockedBy: ['b', '#1'] }),
      item('B', { id: 'b', blockedBy: ['gone'] }),
      item('C', { id: 'gone', blockedBy: ['#3', 'a'] }),
    ]
    const items = [...project(run), ...added]
    const { edit, refused } = personEdit(run.tasks, run.state, table, items)
    expect(edit.list?.add?.map(({ task }) => [task.id, task.blockedBy])).toEqual([
      ['a', ['#1']],
      ['b', ['gone']],
      ['gone', ['a']],
    ])
    expect(refused).toEqual([
      'a does not wait for b, which is waiting for it.',
      'gone does not wait for #3, which is waiting for it.',
    ])
    expect(agentEdit(run.tasks, run.state, table, items, '#1', 9).refused).toEqual(refused)
  })

  it('completes, which unblocks but proves nothing', () => {
    const run = start()
    const [one, ...rest] = project(run)
    expect(adopt(run, [{ ...one!, status: 'completed' }, ...rest])).toMatchObject({
      state: { '#1': { stage: 'done', proof: false, why: 'completed by a person' } },
    })
    expect(run.decide()).toMatchObject({ task: { id: '#2' } })
  })

  it('reopens, with all tries and bug fixes to come', () => {
    const run = start()
    run.step(ok({ findings: [red] }))
    run.step(ok({ findings: [green] }))
    run.step(ok({ findings: [green] }))
    const items = project(run).map(i => (i.id === '#1' ? { ...i, status: 'pending' as const } : i))
    expect(adopt(run, items)).toMatchObject({ state: { '#1': { stage: 'work', bugs: 0, proof: false } } })
  })

  it('removes, and nothing waits for what is gone', () => {
    const run = start()
    const [, two, three] = project(run)
    expect(adopt(run, [two!, three!])).toEqual({ list: { remove: ['#1'] } })
    expect(project(run)[0]).not.toHaveProperty('blockedBy')
  })

  it('changes words, blockers and order', () => {
    const run = start()
    const [one, two, three] = project(run)
    const { blockedBy: _, ...free } = two!
    const edit = adopt(run, [
      { ...free, content: 'Other', activeForm: 'Othering' },
      three!,
      { ...one!, blockedBy: ['#2', 'new'] },
    ])
    expect(edit).toEqual({
      list: {
        change: { '#2': { title: 'Other', active: 'Othering', blockedBy: [] }, '#1': { blockedBy: ['#2'] } },
        order: ['#2', '#3', '#1'],
      },
    })
  })

  it('lets what comes back not wait for what waits for it', () => {
    const run = start()
    const items = [...project(run), item('Gone', { id: 'gone', blockedBy: ['#3'] })]
    const { edit, refused } = personEdit(run.tasks, run.state, table, items)
    expect(refused).toEqual(['gone does not wait for #3, which is waiting for it.'])
    expect(edit.list!.add![0]!.task.blockedBy).toEqual([])
  })

  it('that only says what is under way is none', () => {
    const run = start()
    expect(
      adopt(
        run,
        project(run).map(i => ({ ...i, status: 'in_progress' as const })),
      ),
    ).toEqual({})
  })

  it('keeps what a task waited for and is done, in case that is reopened', () => {
    const run = start()
    run.step(ok({ findings: [green] }))
    const [one, two, three] = project(run)
    adopt(run, [one!, { ...two!, blockedBy: ['#3'] }, { ...three!, blockedBy: [] }])
    expect(run.tasks.map(t => t.blockedBy)).toEqual([[], ['#1', '#3'], []])
  })

  it('that forgets the ids finds the tasks by their words', () => {
    const run = start()
    expect(
      adopt(
        run,
        project(run).map(({ id: _, ...rest }) => rest),
      ),
    ).toEqual({})
  })
})

describe('items without an id', () => {
  const idsAfter = (run: Run, items: TodoItem[]) => {
    run.record({
      type: 'edited',
      at: 0,
      by: 'person',
      ...personEdit(run.tasks, run.state, table, items).edit,
    })
    return run.tasks.map(t => t.id)
  }
  const same = (id: string) => task(id, { title: 'More' })

  it('get numbers from 1 on, beyond every number that was given', () => {
    expect(idsAfter(play(table, []), [item('a'), item('b')])).toEqual(['#1', '#2'])
    expect(idsAfter(play(table, []), [item('a', { id: 'x' }), item('b')])).toEqual(['x', '#1'])
    expect(idsAfter(play(table, []), [item('a'), item('b', { id: '#7' })])).toEqual(['#8', '#7'])
    expect(idsAfter(play(table, [task('#4')]), [item('a')])).toEqual(['#5'])
  })

  it('are as many tasks as have these words', () => {
    expect(idsAfter(play(table, [same('#1'), same('#2')]), [item('More'), item('More')])).toEqual([
      '#1',
      '#2',
    ])
  })

  it('are the first by name where ids have no numbers', () => {
    expect(idsAfter(play(table, [same('b'), same('a'), same('c')]), [item('More')])).toEqual(['a'])
    expect(idsAfter(play(table, [same('a'), same('b')]), [item('More')])).toEqual(['a'])
  })
})

describe('an agent’s edit of the list', () => {
  const read = (run: Run, items: readonly TodoItem[], room = 5) =>
    agentEdit(run.tasks, run.state, table, items, '#1', room)

  it('may add and reorder', () => {
    const run = start()
    const [one, two, three] = project(run)
    const {
      edit: { list },
      refused,
    } = read(run, [three!, one!, item('More'), two!])
    expect(refused).toEqual([])
    expect(list).toEqual({
      add: [{ task: { id: '#4', title: 'More', active: 'Doing', blockedBy: [] }, after: '#1' }],
      order: ['#3', '#1', '#4', '#2'],
    })
    run.record({ type: 'edited', at: 0, by: 'agent', list })
    expect(read(run, project(run))).toEqual({ edit: {}, refused: [] })
  })

  it('may say that its own task is done, and no other', () => {
    const run = start()
    run.step(ok({ findings: [green] }))
    const [one, two, three] = project(run)
    expect(read(run, [{ ...one!, status: 'pending' }, { ...two!, status: 'completed' }, three!])).toEqual({
      edit: {},
      refused: [
        '#1 was set to pending, but it is completed.',
        '#2 was marked completed, but only #1 was worked on.',
      ],
    })
    expect(read(run, project(run))).toEqual({ edit: {}, refused: [] })
    const fresh = start()
    const [own, ...rest] = project(fresh)
    expect(read(fresh, [{ ...own!, status: 'completed' }, ...rest])).toEqual({ edit: {}, refused: [] })
  })

  it('means by the same words the oldest task that it does not name, wherever that stands', () => {
    const more = (id: string) => task(id, { title: 'More' })
    const run = play(table, [more('#10'), task('#2'), more('#9')])
    const items = [item('More', { activeForm: 'More' }), item('Do #2', { id: '#2', activeForm: 'Do #2' })]
    const { list } = read(run, items, 0).edit
    expect(list).toEqual({ order: ['#9', '#2'] })
    run.record({ type: 'edited', at: 0, by: 'agent', list })
    expect(read(run, items, 0)).toEqual({ edit: {}, refused: ['#10 was removed; it is put back.'] })
  })

  it('may not remove, reword or unblock', () => {
    const run = start()
    const [one] = project(run)
    expect(read(run, [{ ...one!, content: 'x', activeForm: 'x', blockedBy: ['#2'] }])).toEqual({
      edit: {},
      refused: [
        '#1 was rewritten; it is put back.',
        '#2 was removed; it is put back.',
        '#3 was removed; it is put back.',
      ],
    })
  })

  it('lets what it adds wait only for what is there in the end', () => {
    const run = start()
    const items = [
      ...project(run).slice(1),
      item('A', { id: '#4', blockedBy: ['#1', '#5', 'x'] }),
      item('B', { id: '#5' }),
    ]
    const {
      edit: { list },
      refused,
    } = read(run, items, 1)
    expect(list?.add?.map(({ task }) => task.blockedBy)).toEqual([['#1']])
    expect(refused).toEqual([
      '"B" was not added: agents may add no more tasks to this list.',
      '#1 was removed; it is put back.',
      '#4 does not wait for #5, which is not in the list.',
      '#4 does not wait for x, which is not in the list.',
    ])
  })

  it('adds only as many as there is room for, all of them open', () => {
    const run = start()
    const {
      edit: { list },
      refused,
    } = read(run, [...project(run), item('A', { status: 'completed' }), item('B')], 1)
    expect(list!.add!.map(a => a.task.title)).toEqual(['A'])
    expect(refused).toEqual([
      '#4 was marked completed, but only #1 was worked on.',
      '"B" was not added: agents may add no more tasks to this list.',
    ])
  })
})
