import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TodoItem } from '../../../src/core/events.ts'
import { carryOver } from '../../../src/workflows/build/rules/carry-over.ts'

const task = (id: string, more: Partial<TodoItem> = {}): TodoItem => ({
  id,
  content: `Do ${id}`,
  status: 'pending',
  activeForm: `Doing ${id}`,
  ...more,
})

const lists: fc.Arbitrary<TodoItem[]> = fc.uniqueArray(
  fc.record(
    {
      id: fc.constantFrom('#1', '#2', '#3', '#4', '#5'),
      content: fc.constantFrom('a', 'b'),
      status: fc.constantFrom('pending' as const, 'in_progress' as const, 'completed' as const),
      activeForm: fc.constantFrom('x', 'y'),
      blockedBy: fc.constantFrom<string[]>([], ['#1'], ['#2']),
    },
    { requiredKeys: ['id', 'content', 'status', 'activeForm'] },
  ),
  { selector: item => item.id },
)

const plain = ({ blockedBy = [], ...item }: TodoItem) => ({ ...item, blockedBy })

describe('a changed list, on the list as it is now', () => {
  it('is what they made of it, where nothing else has changed', () => {
    fc.assert(
      fc.property(lists, lists, (written, found) => {
        expect(carryOver(written, found, written).map(plain)).toEqual(found.map(plain))
      }),
    )
  })

  it('does not add twice what they added without an id, once it has one', () => {
    const written = [task('#1')]
    const { id: _, ...added } = task('#2', { content: 'More' })
    const now = [...written, task('#2', { content: 'More' })]
    expect(carryOver(written, [...written, added], now)).toEqual(now)
    expect(carryOver(written, [...written, added, added], now).map(item => item.id)).toEqual([
      '#1',
      '#2',
      undefined,
    ])
  })

  it('gives another number to a task of theirs whose id somebody else took meanwhile', () => {
    const written = [task('#1')]
    const found = [...written, task('#2', { content: 'Mine' }), task('#3', { blockedBy: ['#2'] })]
    const now = [...written, task('#2', { content: 'Theirs' })]
    const merged = [
      ...written,
      task('#2', { content: 'Theirs' }),
      task('#4', { content: 'Mine', activeForm: 'Doing #2' }),
      task('#3', { blockedBy: ['#4'] }),
    ]
    expect(carryOver(written, found, now)).toEqual(merged)
    expect(carryOver(written, found, merged), 'read again').toEqual(merged)
  })

  it.each(['plan', '#1-bug-1'])(
    'gives another number to what they call %s, which is an id of ralph’s',
    id => {
      const written = [task('#1')]
      const found = [task('#1', { blockedBy: [id] }), task(id, { content: 'Mine' })]
      const merged = [
        task('#1', { blockedBy: ['#2'] }),
        { ...task('#2', { content: 'Mine' }), activeForm: `Doing ${id}` },
      ]
      expect(carryOver(written, found, written)).toEqual(merged)
      expect(carryOver(written, found, merged), 'read again').toEqual(merged)
    },
  )

  it('is the list as it is now, where they changed nothing', () => {
    fc.assert(
      fc.property(lists, lists, (written, now) => {
        const byName = (items: TodoItem[]) => [...items].sort((a, b) => (a.id! < b.id! ? -1 : 1))
        expect(byName(carryOver(written, written, now)).map(plain)).toEqual(byName(now).map(plain))
      }),
    )
  })

  it('has both, each in its field', () => {
    const written = [task('#1', { status: 'in_progress' }), task('#2', { blockedBy: ['#1'] })]
    const found = [task('#1', { status: 'in_progress' }), task('#2', { content: 'Mine', blockedBy: ['#1'] })]
    const now = [task('#1', { status: 'completed' }), task('#1-bug-1'), task('#2')]
    expect(carryOver(written, found, now)).toEqual([
      task('#1', { status: 'completed' }),
      task('#1-bug-1'),
      task('#2', { content: 'Mine' }),
    ])
  })

  it('lacks what they removed, and what was removed meanwhile', () => {
    const written = [task('#1'), task('#2'), task('#3')]
    expect(carryOver(written, [task('#2'), task('#3')], [task('#1'), task('#2')])).toEqual([task('#2')])
  })

  it('keeps their order, and new ones behind those they came behind', () => {
    const written = [task('#1'), task('#2'), task('#3')]
    const found = [task('#3'), task('#1'), task('#2')]
    const now = [task('#1'), task('#4'), task('#2'), task('#3')]
    expect(carryOver(written, found, now).map(({ id }) => id)).toEqual(['#3', '#1', '#4', '#2'])
    expect(carryOver(written, [], now).map(({ id }) => id)).toEqual(['#4'])
    expect(carryOver([], [], now).map(({ id }) => id)).toEqual(['#1', '#4', '#2', '#3'])
  })

  const mine = (id: string) => task(id, { content: `Mine ${id}` })
  const others = (id: string) => task(id, { content: `Theirs ${id}` })
  const idsOf = (items: TodoItem[]) => items.map(item => item.id)

  it.each([
    ['in the list that they had', [task('#1'), task('#9')], [], '#10'],
    ['in the list as it is now', [task('#1')], [task('#9')], '#10'],
    ['in none', [], [], '#3'],
  ])('numbers beyond those %s', (_, written, more, id) => {
    const kept = written.slice(0, 1)
    const merged = carryOver(written, [...kept, mine('#2')], [...kept, others('#2'), ...more])
    expect(merged.find(item => item.content === 'Mine #2')!.id).toBe(id)
  })

  it('numbers from 1 on where no id has a number, and each task by itself', () => {
    expect(idsOf(carryOver([], [mine('x')], [others('x')]))).toEqual(['x', '#1'])
    const merged = carryOver([], [mine('#2'), mine('#3')], [others('#2'), others('#3')])
    expect(merged.filter(item => item.content.startsWith('Mine')).map(item => item.id)).toEqual(['#4', '#5'])
  })

  it('knows two tasks without ids again', () => {
    const [a, b] = [task('#2'), task('#3')].map(({ id: _, ...item }) => item)
    const now = [task('#1'), task('#2'), task('#3')]
    expect(carryOver([task('#1')], [task('#1'), a!, b!], now)).toEqual(now)
  })

  it('has what ralph added where ralph put it, or last if they removed what it followed', () => {
    const written = [task('#1'), task('#2')]
    const added = task('#3')
    expect(idsOf(carryOver(written, written, [added, ...written]))).toEqual(['#3', '#1', '#2'])
    expect(idsOf(carryOver(written, written, [task('#1'), added, task('#2')]))).toEqual(['#1', '#3', '#2'])
    expect(idsOf(carryOver(written, [task('#2')], [task('#1'), added, task('#2')]))).toEqual(['#2', '#3'])
  })

  it('takes no blockers and an empty list of them for the same', () => {
    const empty = task('#1', { blockedBy: [] })
    const waiting = task('#1', { blockedBy: ['#2'] })
    expect(carryOver([task('#1')], [empty], [])).toEqual([])
    expect(carryOver([empty], [task('#1')], [])).toEqual([])
    expect(carryOver([task('#1')], [waiting], [])).toEqual([waiting])
    expect(carryOver([empty], [task('#1')], [waiting])).toEqual([waiting])
    expect(carryOver([task('#1')], [empty], [waiting])).toEqual([waiting])
  })
})
