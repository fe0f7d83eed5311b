import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TodoItem } from '../../../src/core/events.ts'
import { rebase } from '../../../src/workflows/build/rules/rebase.ts'

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
        expect(rebase(written, found, written).map(plain)).toEqual(found.map(plain))
      }),
    )
  })

  it('does not add twice what they added without an id, once it has one', () => {
    const written = [task('#1')]
    const { id: _, ...added } = task('#2', { content: 'More' })
    const now = [...written, task('#2', { content: 'More' })]
    expect(rebase(written, [...written, added], now)).toEqual(now)
    expect(rebase(written, [...written, added, added], now).map(item => item.id)).toEqual([
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
    expect(rebase(written, found, now)).toEqual(merged)
    expect(rebase(written, found, merged), 'read again').toEqual(merged)
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
      expect(rebase(written, found, written)).toEqual(merged)
      expect(rebase(written, found, merged), 'read again').toEqual(merged)
    },
  )

  it('is the list as it is now, where they changed nothing', () => {
    fc.assert(
      fc.property(lists, lists, (written, now) => {
        const byName = (items: TodoItem[]) => [...items].sort((a, b) => (a.id! < b.id! ? -1 : 1))
        expect(byName(rebase(written, written, now)).map(plain)).toEqual(byName(now).map(plain))
      }),
    )
  })

  it('has both, each in its field', () => {
    const written = [task('#1', { status: 'in_progress' }), task('#2', { blockedBy: ['#1'] })]
    const found = [task('#1', { status: 'in_progress' }), task('#2', { content: 'Mine', blockedBy: ['#1'] })]
    const now = [task('#1', { status: 'completed' }), task('#1-bug-1'), task('#2')]
    expect(rebase(written, found, now)).toEqual([
      task('#1', { status: 'completed' }),
      task('#1-bug-1'),
      task('#2', { content: 'Mine' }),
    ])
  })

  it('lacks what they removed, and what was removed meanwhile', () => {
    const written = [task('#1'), task('#2'), task('#3')]
    expect(rebase(written, [task('#2'), task('#3')], [task('#1'), task('#2')])).toEqual([task('#2')])
  })

  it('keeps their order, and new ones behind those they came behind', () => {
    const written = [task('#1'), task('#2'), task('#3')]
    const found = [task('#3'), task('#1'), task('#2')]
    const now = [task('#1'), task('#4'), task('#2'), task('#3')]
    expect(rebase(written, found, now).map(({ id }) => id)).toEqual(['#3', '#1', '#4', '#2'])
    expect(rebase(written, [], now).map(({ id }) => id)).toEqual(['#4'])
    expect(rebase([], [], now).map(({ id }) => id)).toEqual(['#1', '#4', '#2', '#3'])
  })
})
