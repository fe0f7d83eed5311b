import { describe, expect, it } from 'vitest'
import { applyEdit, findCycle, insertAfter, type ListEdit, type Task, unmet } from '../../src/core/task.ts'
import { task } from './play.ts'

const ids = (tasks: readonly Task[]) => tasks.map(t => t.id).join(' ')
const list = [task('a'), task('b', { blockedBy: ['a'] }), task('c', { blockedBy: ['a', 'b'] })]

describe('an edit of the list', () => {
  it.each<[string, ListEdit, string]>([
    ['nothing', {}, 'a b c'],
    ['a task in front', { add: [{ task: task('x'), after: null }] }, 'x a b c'],
    ['a task behind another', { add: [{ task: task('x'), after: 'a' }] }, 'a x b c'],
    ['a task behind one that is not there', { add: [{ task: task('x'), after: 'y' }] }, 'a b c x'],
    ['a task that is there already', { add: [{ task: task('a'), after: 'c' }] }, 'a b c'],
    ['a removal', { remove: ['b', 'y'] }, 'a c'],
    ['an order', { order: ['c', 'a', 'b'] }, 'c a b'],
    ['an order of some', { order: ['c', 'a'] }, 'c a b'],
    ['an order with strangers and repetitions', { order: ['y', 'c', 'c', 'a', 'b'] }, 'c a b'],
    ['an order that names none but the last', { order: ['c'] }, 'a b c'],
    [
      'everything at once',
      { add: [{ task: task('x'), after: 'c' }], remove: ['a'], order: ['x', 'c', 'b'] },
      'x c b',
    ],
  ])('%s, and the same again changes nothing', (_, edit, order) => {
    const once = applyEdit(list, edit)
    expect(ids(once)).toBe(order)
    expect(applyEdit(once, edit)).toEqual(once)
  })

  it('takes removed tasks out of what others wait for', () => {
    expect(applyEdit(list, { remove: ['a'] }).map(t => t.blockedBy)).toEqual([[], ['b']])
  })

  it('changes only what it names', () => {
    expect(applyEdit(list, { change: { b: { title: 'Other' } } })[1]).toEqual({ ...list[1], title: 'Other' })
  })
})

it('puts a task right behind another, once', () => {
  expect(ids(insertAfter(insertAfter(list, [task('x')], 'a'), [task('x')], 'c'))).toBe('a x b c')
})

it('never counts an unknown blocker as met', () => {
  expect(unmet(task('x', { blockedBy: ['a', 'nowhere'] }), id => id === 'a')).toEqual(['nowhere'])
})

describe('a cycle', () => {
  it('is named from where it begins to where it closes', () => {
    expect(
      findCycle([
        task('a', { blockedBy: ['b'] }),
        task('b', { blockedBy: ['c'] }),
        task('c', { blockedBy: ['b'] }),
      ]),
    ).toEqual(['b', 'c', 'b'])
    expect(findCycle([task('a', { blockedBy: ['a'] })])).toEqual(['a', 'a'])
  })

  it('is not seen where there is none', () => {
    expect(findCycle(list)).toBeNull()
    expect(findCycle([task('a', { blockedBy: ['nowhere'] })])).toBeNull()
    expect(findCycle([])).toBeNull()
  })

  it('is looked for along 10,000 chained tasks', () => {
    const chain = Array.from({ length: 10_000 }, (_, i) =>
      task(`${i}`, { blockedBy: i < 9999 ? [`${i + 1}`] : [] }),
    )
    expect(findCycle(chain)).toBeNull()
    chain[9999] = task('9999', { blockedBy: ['0'] })
    expect(findCycle(chain)).toHaveLength(10_001)
  })
})
