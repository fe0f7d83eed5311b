import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { projectTodo } from '../../../src/core/todo.ts'
import { itemsWithDetails, plannedTasks } from '../../../src/workflows/build/rules/planned.ts'
import { readTaskList } from '../../../src/workflows/build/rules/sources/read-tasks.ts'
import { personEdit } from '../../../src/workflows/build/rules/todo-edits.ts'
import { buildTable as build } from '../../../src/workflows/build/table.ts'
import { play } from '../../core/play.ts'
import { plans } from './plans.ts'

const read = (text: string) => {
  const plan = readTaskList('f', text)
  if ('errors' in plan) throw new Error(plan.errors.join('\n'))
  return plan
}
const errorsOf = (text: string) => {
  const plan = readTaskList('f', text)
  return 'errors' in plan ? plan.errors : []
}
/** `#2 x <#1,#3`: the id, x if it is completed, its blockers. */
const brief = (text: string) =>
  read(text).items.map(({ id, content, status, blockedBy = [] }) =>
    [id, status === 'completed' ? 'x' : '', content, blockedBy.length > 0 && `< ${blockedBy}`]
      .filter(Boolean)
      .join(' '),
  )

describe('a file with a list of tasks', () => {
  it('of a build is taken with what is done, and nothing is under way', () => {
    const items = [
      { id: '#1', content: 'One', status: 'completed', activeForm: 'Doing one' },
      {
        id: '#3',
        content: 'Three',
        status: 'in_progress',
        activeForm: 'Doing three',
        blockedBy: ['#3-bug-1'],
      },
      { id: '#3-bug-1', content: 'Fix: three', status: 'pending', activeForm: 'Fixing three' },
      { content: 'Mine', status: 'pending', activeForm: 'Doing mine' },
    ]
    const plan = read(JSON.stringify(items))
    expect(plan.items).toEqual([
      items[0],
      { ...items[1], status: 'pending' },
      items[2],
      { id: '#4', ...items[3] },
    ])
    expect(plannedTasks(plan)[2]).toMatchObject({ id: '#3-bug-1', parent: '#3', first: 'fix' })
    expect(plannedTasks(plan)[1]).not.toHaveProperty('parent')
  })

  it('has a bug fix of what is not in it as a task like any other', () => {
    const plan = read('[{"id": "#3-bug-1", "content": "Fix"}]')
    expect(plannedTasks(plan)[0]).not.toHaveProperty('parent')
    expect(plannedTasks(plan)[0]).not.toHaveProperty('first')
  })

  it('is edited with its details beside each item', () => {
    const items = [{ content: 'A', description: 'd' }, { content: 'B' }]
    const [a, b] = itemsWithDetails(read(JSON.stringify(items)))
    expect(a).toEqual({ id: '#1', content: 'A', status: 'pending', activeForm: 'A', description: 'd' })
    expect(b).toEqual({ id: '#2', content: 'B', status: 'pending', activeForm: 'B' })
  })

  it('begins a run in which what is done is done, on a person’s word', () => {
    const plan = read('- [x] Set up\n- [ ] Auth\n  - [x] Login\n  - [ ] Logout')
    const run = play(build(), plannedTasks(plan))
    run.record({
      type: 'edited',
      at: 1,
      by: 'person',
      ...personEdit(run.tasks, run.state, build(), plan.items).edit,
    })
    expect(
      projectTodo(run.tasks, run.state, build()).map(({ status, blockedBy }) => [status, blockedBy]),
    ).toEqual([
      ['completed', undefined],
      ['pending', ['#4']],
      ['completed', undefined],
      ['pending', undefined],
    ])
    expect(run.decide()).toMatchObject({ type: 'work', task: { id: '#4' } })
    expect(run.at('#1').proof).toBe(false)
  })

  it('of stories is taken by priority, with what passes, depends and is to be met', () => {
    const stories = [
      {
        id: 'US-2',
        title: 'Later',
        priority: 2,
        passes: false,
        dependsOn: ['US-1'],
        acceptanceCriteria: ['c'],
      },
      { id: 'US-3', title: 'Some day', acceptanceCriteria: ['d'] },
      {
        id: 'US-1',
        title: 'First',
        priority: 1,
        passes: true,
        description: 'As a user',
        reviewStatus: 'approved',
      },
    ]
    const text = JSON.stringify({ project: 'p', userStories: stories })
    expect(brief(text)).toEqual(['US-1 x First', 'US-2 Later < US-1', 'US-3 Some day'])
    expect(read(text).details).toEqual({
      'US-1': { description: 'As a user' },
      'US-2': { acceptanceCriteria: ['c'] },
      'US-3': { acceptanceCriteria: ['d'] },
    })
  })

  it('of markdown is taken with what is ticked; a whole waits for its parts', () => {
    const text = [
      '# Plan',
      '',
      'Some words, [ ] not a box.',
      '- [x] Set up',
      '* [ ] Auth',
      '    - [X] Login',
      '    - [ ] Logout',
      '\t\t1. [ ] Clear the cookie',
      '  + [ ] Tokens',
      '2) [ ] **Docs**  ',
    ].join('\r\n')
    expect(brief(text)).toEqual([
      '#1 x Set up',
      '#2 Auth < #3,#4,#6',
      '#3 x Login',
      '#4 Logout < #5',
      '#5 Clear the cookie',
      '#6 Tokens',
      '#7 **Docs**',
    ])
  })

  it('of markdown has tasks in list items only', () => {
    const text = [
      '```md',
      '- [ ] fenced',
      '~~~',
      '```',
      '~~~~',
      '- [ ] fenced too',
      '~~~',
      '~~~~',
      '<!-- - [ ] in a comment -->',
      '<!--',
      '- [ ] in a long comment',
      '-->',
      '[ ] no item',
      '- [link](x) - [ ] no box at the beginning',
      '- [a](x)',
      '- [1] a reference',
      '- plain',
      '    - [ ] below a plain item',
      'A paragraph, then code:',
      '',
      '    - [ ] code',
      '',
      '- [ ] last',
    ].join('\n')
    expect(brief(text)).toEqual(['#1 below a plain item', '#2 last'])
  })

  it.each([
    ['three spaces are no code', '   - [ ] A', ['#1 A']],
    ['what begins with code', '    - [ ] code\n\n- [ ] A', ['#1 A']],
    ['one space keeps a list open', '- plain\n words\n    - [ ] A', ['#1 A']],
    ['one space nests nothing', '- [ ] A\n - [ ] B', ['#1 A', '#2 B']],
    ['a tab goes to the next stop', '- [ ] A\n \t- [ ] B\n      - [ ] C', ['#1 A < #2', '#2 B < #3', '#3 C']],
    [
      'the last mark closes what is before it only',
      '- [ ] A --> <!-- B\n- [ ] C',
      ['#1 A --> <!-- B', '#2 C'],
    ],
  ])('of markdown: %s', (_, text, tasks) => {
    expect(brief(text)).toEqual(tasks)
  })

  it('of stories with the same priority, or none, keeps their order', () => {
    const story = (id: string, priority?: number) => ({ id, title: id, ...(priority && { priority }) })
    const list = [story('D'), story('B', 2), story('E'), story('C', 2), story('A', 1), story('F')]
    expect(brief(JSON.stringify({ userStories: list }))).toEqual(['A A', 'B B', 'C C', 'D D', 'E E', 'F F'])
  })

  it('of markdown sees a fence on the line of its bullet', () => {
    const text =
      '- ```sh\n  - [ ] code\n  ```\n- [ ] A\n1. ~~~\n   - [ ] code\n   ~~~\n- ```x``` is code\n- [ ] B'
    expect(brief(text)).toEqual(['#1 A', '#2 B'])
  })

  it('of markdown sees a comment that begins in the middle of a line', () => {
    const text = [
      'Words <!-- a comment',
      '- [ ] hidden',
      '-->',
      '- [ ] A <!-- as agreed -->',
      '- [ ] B <!-- later:',
      '- [ ] hidden',
      '-->',
      '- [ ] Escape `<!--` in titles',
      '- [ ] D <!-- never closed',
      '- [ ] E',
    ].join('\n')
    expect(brief(text)).toEqual([
      '#1 A',
      '#2 B',
      '#3 Escape `<!--` in titles',
      '#4 D <!-- never closed',
      '#5 E',
    ])
  })

  it('of markdown takes what stands below an item as its description', () => {
    const text =
      '- [ ] A\n  Some words.\n\n  - a note\n  ```\n  - [ ] code\n  ```\n  - [ ] B\n    of B\n\nNot of B.\n'
    expect(read(text).details).toEqual({
      '#1': { description: 'Some words.\n- a note\n```\n- [ ] code\n```' },
      '#2': { description: 'of B' },
    })
  })

  it('of markdown that is ticked does not wait for its parts', () => {
    expect(brief('- [x] A\n  - [ ] B')).toEqual(['#1 x A', '#2 B'])
  })

  it.each([
    [
      '',
      'f: the file is empty; give an array of tasks, an object with an array "userStories", or a markdown list',
    ],
    ['[]', 'f: the list is empty; name at least one task'],
    ['{"userStories": []}', 'f: the list is empty; name at least one task'],
    ['{"features": []}', 'f: it holds no list; give an array of tasks'],
    ['42', 'f: it holds no list; give an array of tasks'],
    ['[1]', 'f:1: item 1: it is not an object; write it as'],
    ['# Just words', 'f: it holds neither JSON nor a list with "- [ ]" items; write one task per item'],
    ['[\n  {"id": "#1",}\n]', 'f:2:14: it is not valid JSON: remove the comma before "}"'],
    ['[\n  {"id": "#1"\n', 'f:3:1: it is not valid JSON: the file ends too early'],
    [
      '[{"content": "a",\n"status": "pending"},\n\n{"id": "#2", "content": "b", "status": "done"}]',
      'f:4: task #2: status must be "pending", "in_progress" or "completed"',
    ],
    ['[\n"a",\n{"content": "[{\\"}]"},\n[2]]', 'f:2: item 1: it is not an object'],
    [
      '{"a": [{}],\n "userStories": [\n  {"id": "A", "title": "t", "dependsOn": ["B"], "priority": 2},\n  {"id": "C", "priority": 1}\n]}',
      'f:4: task C: title must be a string that is not empty',
    ],
    [
      '{"userStories": [\n{"id": "A", "title": "t", "passes": "true"}]}',
      'f:2: story A: passes must be true or false',
    ],
    ['{"userStories": [\n{"title": "t", "passes": 1}]}', 'f:2: the story: passes must be true or false'],
    ['{"userStories": [{"id": "A", "title": "t"},\nnull]}', 'f:2: item 2: it is not an object'],
    ['{"userStories": [{"id": "A", "title": "t"},\n"B"]}', 'f:2: item 2: it is not an object'],
    ['{"userStories": [{"id": "A", "title": "t"},\n["B"]]}', 'f:2: item 2: it is not an object'],
    ['{"a": {"x": 1,\n"y": 2},\n"userStories": [\n"B"]}', 'f:4: item 1: it is not an object'],
    [
      '{"userStories": [\n{"id": "A", "title": "t", "priority": "1"}]}',
      'f:2: story A: priority must be a number',
    ],
    [
      '{"userStories": [{"id": "A", "title": "t"},\n{"id": "B", "title": "t", "dependsOn": ["B2"]}]}',
      'f:2: task B: dependsOn names "B2", which is not in the list',
    ],
    [
      '[{"id": "#1", "content": "a"},\n{"id": "#2", "content": "b", "blockedBy": ["#3"]},\n{"id": "#3", "content": "c", "blockedBy": ["#2"]}]',
      'f:2: task #2: it waits for itself (#2 → #3 → #2)',
    ],
    ['- [ ] a\n- [] b', 'f:2: [] is neither open nor done; write "[ ]" for open, "[x]" for done'],
    ['- [ ] a\n- [-] b', 'f:2: [-] is neither open nor done'],
    ['- [ ] a\n\n- [ ]', 'f:3: the item has no text; write what to do, or remove it'],
  ])('%j is refused with file, line and rule', (text, message) => {
    expect(errorsOf(text)[0]).toContain(message)
  })

  it('may have tasks of many words', () => {
    expect(read(`- [ ] ${'word '.repeat(500)}`).items[0]!.content).toHaveLength(2499)
  })

  it('has no details where there is nothing to say', () => {
    const blank = { content: 'a', description: ' ', acceptanceCriteria: [' '] }
    expect(read(JSON.stringify([blank, { ...blank, acceptanceCriteria: ['b'] }])).details).toEqual({
      '#2': { acceptanceCriteria: ['b'] },
    })
  })

  it('may begin with a byte order mark', () => {
    expect(brief('\ufeff[{"content": "a"}]')).toEqual(['#1 a'])
  })

  it('that was written from a list gives that list', () => {
    fc.assert(
      fc.property(plans, plan => {
        expect(read(JSON.stringify(plan.items, null, 2)).items).toEqual(plan.items)
      }),
    )
  })

  it('of any text is read or refused, and never throws', () => {
    const piece = fc.constantFrom(
      '- [ ] ',
      '- [x] ',
      '  ',
      '\t',
      '\n',
      '```\n',
      '<!--',
      '[',
      '{"userStories":',
      '"',
      ']',
      '}',
      'a',
      '1. ',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), pieces => {
        const plan = readTaskList('f', pieces.join(''))
        expect('errors' in plan ? plan.errors.length : plan.items.length).toBeGreaterThan(0)
      }),
    )
  })

  it('has every error counted, however many there are', () => {
    expect(errorsOf(JSON.stringify(Array.from({ length: 1000 }, () => ({}))))).toHaveLength(1000)
  })

  it('of any size takes time in proportion to it', () => {
    expect(brief('- [ ] a\n'.repeat(10_000))).toHaveLength(10_000)
    expect(read(JSON.stringify(Array.from({ length: 10_000 }, () => ({ content: 'a' })))).items).toHaveLength(
      10_000,
    )
    expect(read(JSON.stringify([{ content: 'a', description: '\\"'.repeat(1_000_000) }])).items).toHaveLength(
      1,
    )
  })
})
