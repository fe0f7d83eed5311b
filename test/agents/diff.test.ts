import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diffOf, editOf } from '../../src/agents/claude/edits.ts'

const lines = (...texts: string[]) => `${texts.join('\n')}\n`
const numbered = (n: number) => Array.from({ length: n }, (_, i) => `line ${i + 1}`)

describe('a diff', () => {
  test.each<[string, string, string, string[]]>([
    ['a changed line', lines('a', 'b', 'c'), lines('a', 'x', 'c'), [' a', '-b', '+x', ' c']],
    ['an added line', lines('a', 'c'), lines('a', 'b', 'c'), [' a', '+b', ' c']],
    ['a removed line', lines('a', 'b', 'c'), lines('a', 'c'), [' a', '-b', ' c']],
    ['what is common in between', lines('a', 'b', 'c'), lines('x', 'b', 'y'), ['-a', '+x', ' b', '-c', '+y']],
    ['everything new', '', 'a\nb', ['+a', '+b']],
    ['everything gone', 'a\nb', '', ['-a', '-b']],
    ['nothing', 'a\nb', 'a\nb', []],
    ['an empty line', 'a\n\nb', 'a\nb', [' a', '-', ' b']],
  ])('tells %s', (_, before, after, diff) => {
    expect(diffOf(before, after)).toEqual(diff)
  })

  test('shows two unchanged lines around a change, and a mark for what is left out between changes', () => {
    const before = numbered(20)
    const after = before.with(2, 'x').with(14, 'y')
    expect(diffOf(lines(...before), lines(...after))).toEqual([
      ' line 1',
      ' line 2',
      '-line 3',
      '+x',
      ' line 4',
      ' line 5',
      ' …',
      ' line 13',
      ' line 14',
      '-line 15',
      '+y',
      ' line 16',
      ' line 17',
    ])
  })

  test('with too many changes to find the shortest is all old lines, then all new ones, between what is common', () => {
    const before = numbered(900)
    // Every other line from 100 to 800 is changed.
    const after = before.map((line, i) => (i >= 100 && i < 800 && i % 2 === 0 ? `new ${i}` : line))
    const diff = diffOf(lines(...before), lines(...after))
    const changed = (mark: string, all: string[]) => all.slice(100, 799).map(line => `${mark}${line}`)
    expect(diff).toEqual([
      ' line 99',
      ' line 100',
      ...changed('-', before),
      ...changed('+', after),
      ' line 800',
      ' line 801',
    ])
  })

  test('leads from the one text to the other', () => {
    const lists = fc.array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(lists, lists, (before, after) => {
        const diff = diffOf(lines(...before), lines(...after))
        const marked = (mark: string) => diff.filter(l => l.startsWith(mark)).map(l => l.slice(1))
        expect([...before, ...marked('+')].sort()).toEqual([...after, ...marked('-')].sort())
        // Short texts are shown whole, so that both sides can be read off.
        if (before.length > 3 || after.length > 3 || marked('-').length + marked('+').length === 0) return
        expect(diff.filter(l => !l.startsWith('+')).map(l => l.slice(1))).toEqual(before)
        expect(diff.filter(l => !l.startsWith('-')).map(l => l.slice(1))).toEqual(after)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('the edits of Claude', () => {
  test.each<[string, Record<string, unknown>, string[] | undefined]>([
    ['Edit', { old_string: 'a', new_string: 'b' }, ['-a', '+b']],
    ['Write', { content: 'a\nb\n' }, ['+a', '+b']],
    ['NotebookEdit', { new_source: 'a' }, ['+a']],
    [
      'MultiEdit',
      {
        edits: [
          { old_string: 'a', new_string: 'b' },
          { old_string: 'same', new_string: 'same' },
          { new_string: 'c' },
        ],
      },
      ['-a', '+b', ' …', '+c'],
    ],
    ['Read', { file_path: 'a', content: 'b' }, undefined],
    ['Edit', { old_string: 'a', new_string: 'a' }, undefined],
    ['Edit', {}, undefined],
    ['Edit', { old_string: 5, new_string: { a: 1 } }, undefined],
    ['Write', { content: null }, undefined],
    ['MultiEdit', { edits: 'x' }, undefined],
    ['MultiEdit', { edits: [null, 7, []] }, undefined],
  ])('%s %j', (tool, input, diff) => {
    expect(editOf(tool, input)).toEqual(diff)
  })

  test('are bounded, whatever their size', () => {
    const long = editOf('Write', { content: lines(...numbered(1000)) })!
    expect([long.length, long.at(-1)]).toEqual([201, ' …'])
    const wide = editOf('Write', { content: lines(...Array(100).fill('x'.repeat(1000))) })!
    expect(wide.join('').length).toBeLessThan(20_010)
    const huge = editOf('Edit', { old_string: 'a\n'.repeat(5e6), new_string: 'b\n'.repeat(5e6) })!
    expect(huge).toHaveLength(201)
    const shuffled = editOf('Edit', {
      old_string: lines(...numbered(3000)),
      new_string: lines(...numbered(3000).reverse()),
    })!
    expect(shuffled).toHaveLength(201)
    expect(editOf('Write', { content: 'x'.repeat(5e6) })!.join('')).toHaveLength(20_000)
  })

  test('are compared only until there is more than is shown', () => {
    const long = { new_string: lines(...numbered(300)) }
    const rest = {
      get new_string(): string {
        throw new Error('compared')
      },
    }
    expect(editOf('MultiEdit', { edits: [long, rest] })).toHaveLength(201)
    expect(() => editOf('MultiEdit', { edits: [{ new_string: 'a' }, rest] })).toThrow('compared')
  })
})
