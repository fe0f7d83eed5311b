import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findCycle } from '../../../src/core/task.ts'
import { checkList, PLAN } from '../../../src/workflows/build/rules/check-list.ts'
import { readPlan } from '../../../src/workflows/build/rules/plan-answer.ts'
import { type CheckedList, detailsOf, plannedTasks } from '../../../src/workflows/build/rules/planned.ts'
import { asAnswer, plans } from './plans.ts'

const item = (id: string, more: object = {}) => ({
  id,
  content: `Do ${id}`,
  status: 'pending',
  activeForm: `Doing ${id}`,
  ...more,
})
const list = [item('#1'), item('#2', { blockedBy: ['#1'] })]
const json = JSON.stringify(list, null, 2)
const read = (entries: unknown) => readPlan(JSON.stringify(entries))
const errorsOf = (answer: string) => {
  const plan = readPlan(answer)
  return 'errors' in plan ? plan.errors : []
}

/** Tasks of which each waits for the next, and the last for the first. */
const ring = (from: number, length: number) =>
  Array.from({ length }, (_, n) =>
    item(`#${from + n}`, { blockedBy: [`#${n === length - 1 ? from : from + n + 1}`] }),
  )

describe('a planner’s answer', () => {
  it.each([
    ['alone', json],
    ['in a fence', `\`\`\`json\n${json}\n\`\`\``],
    ['between words', `I looked [at all of it]. The "plan" [sic]:\n${json}\nThat's it {for now}.`],
    ['in an object', `{"tasks": ${json}}`],
    ['in an object of another name', `{"notes": "n", "plan": ${json}}`],
    ['behind a bracket that is never closed', `An array begins with [{ as usual.\n${json}`],
    ['behind an example in another language', `const a = [{ b: 'c' }]\n\n${json}`],
    ['beside another list of objects', `[{"route": "/"}]\n${json}`],
    ['twice', `${json}\n\nAgain:\n${json}`],
  ])('is read %s', (_, answer) => {
    expect(readPlan(answer)).toEqual({ items: list, details: {} })
  })

  it('is read behind 19 brackets that are never closed, and not behind more', () => {
    expect(errorsOf('[{ '.repeat(19) + json)).toEqual([])
    expect(errorsOf('[{ '.repeat(20) + json)).toEqual([expect.stringContaining('never closed')])
  })

  it('may leave out what can be told without it', () => {
    expect(read([{ content: 'A' }, item('#7'), { id: null, content: ' B\n b', blockedBy: null }])).toEqual({
      items: [
        { id: '#1', content: 'A', status: 'pending', activeForm: 'A' },
        item('#2'),
        { id: '#3', content: 'B b', status: 'pending', activeForm: 'B b' },
      ],
      details: {},
    })
  })

  it('gets the ids #1, #2 … in its order, and whatever names one follows', () => {
    const plan = read([
      item('setup', { content: 'Set up', activeForm: 'Setting up' }),
      item('#0', {
        blockedBy: ['setup'],
        description: 'Before #2, not #20 or #99.',
        acceptanceCriteria: ['#2 works'],
      }),
      item('#2', { blockedBy: ['#0'], content: 'Go on after #0' }),
      item('#20'),
    ])
    expect(plan).toEqual({
      items: [
        item('#1', { content: 'Set up', activeForm: 'Setting up' }),
        item('#2', { blockedBy: ['#1'] }),
        item('#3', { blockedBy: ['#2'], content: 'Go on after #2' }),
        item('#4'),
      ],
      details: { '#2': { description: 'Before #3, not #4 or #99.', acceptanceCriteria: ['#3 works'] } },
    })
  })

  it('keeps descriptions and criteria apart from the list, which has five fields', () => {
    const about = { description: 'Why', acceptanceCriteria: ['200 for a token', ' '] }
    const plan = read([item('#1', { ...about, priority: 3 }), item('#2', { blockedBy: ['#1', '#1'] })])
    expect(plan).toEqual({
      items: [item('#1'), item('#2', { blockedBy: ['#1'] })],
      details: { '#1': { description: 'Why', acceptanceCriteria: ['200 for a token'] } },
    })
    const tasks = 'items' in plan ? plannedTasks(plan) : []
    expect(tasks[1]).toEqual({ id: '#2', title: 'Do #2', active: 'Doing #2', blockedBy: ['#1'] })
    expect(detailsOf(tasks)).toEqual('details' in plan && plan.details)
  })

  it.each<[unknown, string]>([
    [[], 'the list is empty; name at least one task'],
    [[item('#1'), 7], 'item 2: it is not an object; write it as'],
    [[item('#1'), item('#1')], 'task #1: its id is used more than once; give every task an id of its own'],
    [[item('#1', { id: 1 })], 'item 1: id must be a string of 1 to 64 characters without spaces; use "#1"'],
    [[item('my task')], 'item 1: id must be a string of 1 to 64 characters without spaces; use "#1"'],
    [[item(PLAN)], 'task plan: its id is reserved for ralph; use "#1"'],
    [[item('#1-bug-1')], 'task #1-bug-1: its id is reserved for ralph; use "#1"'],
    [[item('#1', { content: ' ' })], 'task #1: content must be a string that is not empty; write in it'],
    [
      [item('#1', { content: 'x'.repeat(501) }), item('#2', { content: 'x'.repeat(500) })],
      'task #1: content is 501 characters long; use fewer than 80',
    ],
    [[item('#1', { status: 'completed' })], 'task #1: status must be "pending"; in a new list no task'],
    [[item('#1', { activeForm: 1 })], 'task #1: activeForm must be a string, such as'],
    [[item('#1', { blockedBy: '#2' })], 'task #1: blockedBy must be an array of ids; leave it out'],
    [
      [item('#1', { blockedBy: ['#9'] })],
      'task #1: blockedBy names "#9", which is not in the list; name ids',
    ],
    [[item('#1', { blockedBy: ['#1'] })], 'task #1: blockedBy names the task itself; remove "#1"'],
    [[item('#1', { description: [] })], 'task #1: description must be a string'],
    [[item('#1', { acceptanceCriteria: 'all' })], 'task #1: acceptanceCriteria must be an array of strings'],
    [
      [item('#1', { blockedBy: ['#2'] }), item('#2', { blockedBy: ['#1'] })],
      'task #1: it waits for itself (#1 → #2 → #1); remove one of them from blockedBy',
    ],
  ])('%# is refused with a sentence that names item, rule and remedy', (entries, message) => {
    const errors = errorsOf(JSON.stringify(entries))
    expect(errors).toHaveLength(1)
    expect(errors[0]).toContain(message)
  })

  it.each([
    ['no list', 'I could not do it.', 'the answer holds no JSON array of tasks'],
    ['an object without one', '{"error": "no"}', 'the answer holds no JSON array of tasks'],
    ['a list that is cut off', json.slice(0, -20), 'the JSON array is never closed; perhaps it was too long'],
    ['a list with a slip', json.replace('"content"', 'content').replace(/\]$/, ',]'), 'the JSON is broken: '],
    [
      'the list in parts',
      `[${JSON.stringify(list[0])}]\n[${JSON.stringify(item('#3'))}]`,
      'holds 2 lists (of 1, 1 entries) instead of one',
    ],
  ])('with %s is refused', (_, answer, message) => {
    const errors = errorsOf(answer)
    expect(errors[0]).toContain(message)
    expect(errors[0]).not.toContain('\n')
  })

  it('tells of all that is wrong, up to a number that is read', () => {
    expect(errorsOf(JSON.stringify([item('#1', { content: '', status: 'done' }), 7]))).toHaveLength(3)
    const errors = (count: number) => errorsOf(JSON.stringify(Array(count).fill({ content: '' })))
    expect(errors(50)).toEqual(Array(50).fill(expect.stringContaining('content must be')))
    expect(errors(51).slice(49)).toEqual([expect.stringContaining('item 50'), 'and 1 more like these'])
  })

  it('tells of a cycle beside other errors, and once of what waits for itself', () => {
    expect(
      errorsOf(
        JSON.stringify([
          item('#1', { blockedBy: ['#9'] }),
          7,
          item('#3', { blockedBy: ['#4', '#3'] }),
          item('#4', { blockedBy: ['#3'], status: 'done' }),
        ]),
      ).map(error => error.split(';', 1)[0]),
    ).toEqual([
      'task #1: blockedBy names "#9", which is not in the list',
      'item 2: it is not an object',
      'task #3: blockedBy names the task itself',
      'task #4: status must be "pending"',
      'task #3: it waits for itself (#3 → #4 → #3)',
    ])
  })

  it('tells of several cycles, long ones in short', () => {
    expect(errorsOf(JSON.stringify([...ring(1, 2), ...ring(3, 28)]))).toEqual([
      'task #1: it waits for itself (#1 → #2 → #1); remove one of them from blockedBy',
      'task #3: it waits for itself (#3 → #4 → #5 → #6 → #7 → #8 → … → #27 → #28 → #29 → #30 → #3); remove one of them from blockedBy',
    ])
  })

  it('tells of five cycles, and shows whole those of up to 11 tasks', () => {
    const pairs = Array.from({ length: 6 }, (_, n) => ring(2 * n + 1, 2)).flat()
    expect(errorsOf(JSON.stringify(pairs))).toHaveLength(5)
    expect(errorsOf(JSON.stringify(ring(1, 11)))[0]).not.toContain('…')
    expect(errorsOf(JSON.stringify(ring(1, 12)))[0]).toContain('#6 → … → #9')
  })

  it('with ids that every object has is read as any other', () => {
    const answer = `[${['__proto__', 'constructor'].map(id => `{"id":"${id}","content":"Do","description":"Why"}`)}]`
    const plan = checkList(JSON.parse(answer), { isNew: true })
    const read = readPlan(answer)
    expect('details' in read && Object.keys(read.details)).toEqual(['#1', '#2'])
    expect('details' in plan && Object.keys(plan.details)).toEqual(['__proto__', 'constructor'])
    expect('items' in plan && Object.keys(detailsOf(plannedTasks(plan)))).toEqual([
      '__proto__',
      'constructor',
    ])
  })

  it('of any size takes time in proportion to it', () => {
    const chain = Array.from({ length: 10_000 }, (_, n) =>
      item(`#${n + 1}`, n > 0 ? { blockedBy: [`#${n}`] } : {}),
    )
    const plan = read(chain)
    expect('items' in plan && plan.items).toHaveLength(10_000)
    for (const piece of [
      '[',
      '{',
      '[{',
      '[{"',
      '{"a":',
      '[]',
      '[{}]',
      '["',
      ']',
      '}',
      '"',
      '\\',
      '[{\\"',
      '[ ',
    ])
      expect('errors' in readPlan(piece.repeat(1_000_000 / piece.length))).toBe(true)
    expect('errors' in readPlan(`${'['.repeat(500_000)}${']'.repeat(500_000)}`)).toBe(true)
    expect('errors' in readPlan(`[{"a":${'['.repeat(300_000)}${']'.repeat(300_000)}}]`)).toBe(true)
  })
})

describe('any plan', () => {
  it('is read as it was written but for its ids, in a fence and between words', () => {
    fc.assert(
      fc.property(plans, fc.constantFrom('', 'Here it is:\n```json\n'), (plan, before) => {
        const read = readPlan(`${before}${asAnswer(plan)}${before && '\n```\nDone.'}`)
        // The place in the list that each id stands for.
        const placed = (ids: string[], { items, details }: CheckedList) =>
          items.map(({ id, blockedBy = [], ...rest }) => [
            ids.indexOf(id),
            blockedBy.map(blocker => ids.indexOf(blocker)),
            rest,
            details[id],
          ])
        const ids = plan.items.map((_, index) => `#${index + 1}`)
        expect(placed(ids, read as CheckedList)).toEqual(
          placed(
            plan.items.map(({ id }) => id),
            plan,
          ),
        )
        expect(findCycle(plannedTasks(plan))).toBeNull()
      }),
    )
  })

  it('with any damage is read or refused, and never throws', () => {
    fc.assert(
      fc.property(plans, fc.nat(), fc.nat({ max: 40 }), fc.string(), (plan, at, cut, put) => {
        const answer = asAnswer(plan)
        const from = at % answer.length
        const read = readPlan(answer.slice(0, from) + put + answer.slice(from + cut))
        if ('errors' in read) expect(read.errors.length).toBeGreaterThan(0)
        else expect(read.items.length).toBeGreaterThan(0)
      }),
    )
  })

  it('of any values is read or refused, and never throws', () => {
    const field = fc.oneof(fc.jsonValue(), fc.constantFrom('#1', '#2', ['#1'], 'pending'))
    const entry = fc.record(
      { id: field, content: field, status: field, activeForm: field, blockedBy: field, description: field },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(entry, fc.jsonValue())), entries => {
        const read = readPlan(JSON.stringify(entries))
        if ('items' in read) expect(new Set(read.items.map(({ id }) => id)).size).toBe(read.items.length)
      }),
    )
  })
})
