import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TodoItem } from '../../src/core/events.ts'
import { styleOf } from '../../src/view/style.ts'
import { taskListLines, taskSummary } from '../../src/view/task-list.ts'
import { fitTo } from '../../src/view/text/fit.ts'
import { widthOf } from '../../src/view/text/width.ts'
import { HOSTILE } from './hostile.ts'

const emoji = styleOf({ color: false, emoji: true })
const item = (id: string, status: TodoItem['status'] = 'pending', blockedBy?: string[]): TodoItem => ({
  id,
  content: `Do ${id}`,
  status,
  activeForm: `Doing ${id}`,
  ...(blockedBy && { blockedBy }),
})
const list = [
  item('#1', 'completed'),
  item('#3', 'pending', ['#3-bug-2', '#2']),
  item('#3-bug-2', 'in_progress'),
  item('#3-bug-1', 'completed'),
  item('#4', 'pending', ['#1', '#2', '#3', '#5', '#6', '#7', '#8']),
  { content: 'Mine', status: 'pending' as const, activeForm: 'Doing mine' },
]
const show = (items: TodoItem[], columns: number | null = null, most = 20, blocked?: Map<string, string>) =>
  taskListLines(items, emoji, fitTo(columns), {
    most,
    ...(blocked && { blocked }),
    isVerified: id => id !== '#3-bug-1',
  })

describe('the list of a build', () => {
  it('shows what is done, active, pending and blocked, bug fixes under their task', () => {
    expect(show(list)).toEqual([
      '📋 Tasks',
      '  ✅ #1 Do #1',
      '  ⏸️ #3 Do #3 › blocked by #3-bug-2, #2',
      '     ✓ #3-bug-1 Do #3-bug-1',
      '     🔄 #3-bug-2 Doing #3-bug-2',
      '  ⏸️ #4 Do #4 › blocked by #1, #2, #3, #5, #6 and 2 more',
      '  ⏸️ Mine',
      '  📊 Progress: 2/6 (33%)',
    ])
  })

  it('calls a red check by its name', () => {
    const fix = { ...item('#1-bug-1'), content: 'Fix: Guardrail "npm test -- "x"" failed with exit code 1.' }
    expect(show([fix])[1]).toBe('  ⏸️ #1-bug-1 Fix: npm test -- "x" failed with exit code 1.')
    expect(taskSummary([fix])[0]).toBe('[ ] #1-bug-1 Fix: npm test -- "x" failed with exit code 1.')
  })

  it('uses text marks where there are no emoji', () => {
    const lines = taskListLines(list.slice(0, 3), styleOf({ color: false, emoji: false }), fitTo(null), {
      most: 9,
    })
    expect(lines).toEqual([
      '[TODO] Tasks',
      '  [OK] #1 Do #1',
      '  [ ] #3 Do #3 › blocked by #3-bug-2, #2',
      '     [>] #3-bug-2 Doing #3-bug-2',
      '  [%] Progress: 1/3 (33%)',
    ])
  })

  it('colours what is done, active and blocked', () => {
    const style = styleOf({ color: true, emoji: true })
    const lines = taskListLines(list, style, fitTo(40), { most: 9 })
    expect(lines.filter(line => line.includes('\x1b['))).toHaveLength(5)
  })

  it('shows a bug fix without its task by itself', () => {
    expect(show([item('#9-bug-1'), item('#9-bug-1-bug-1')]).slice(1, -1)).toEqual([
      '  ⏸️ #9-bug-1 Do #9-bug-1',
      '  ⏸️ #9-bug-1-bug-1 Do #9-bug-1-bug-1',
    ])
  })

  it('shows what waits for a person, and why', () => {
    const blocked = new Map([['#1', 'Which\ndatabase?']])
    expect(show([item('#1')], null, 9, blocked)[1]).toBe('  ⚠️ #1 Do #1 › waits for you: Which database?')
    expect(taskSummary([item('#1')], blocked)[0]).toBe('[ ] #1 Do #1 › waits for you: Which database?')
    const red = new Map([['#1', 'all tries are used: Guardrail "npm test" failed with exit code 1.']])
    const why = 'all tries are used: npm test failed with exit code 1.'
    expect(taskSummary([item('#1')], red)[0]).toBe(`[ ] #1 Do #1 › waits for you: ${why}`)
    const cancelled = new Map([['#1', 'cancelled by a person']])
    expect(taskSummary([item('#1')], cancelled)[0]).toBe('[ ] #1 Do #1 › cancelled by a person')
  })

  it('keeps the blockers of a line that is too long', () => {
    const long = {
      ...item('#2', 'pending', ['#1']),
      content: 'A very long description of what is to be done',
    }
    expect(show([long], 40)[1]).toBe('  ⏸️ #2 A very long des… › blocked by #1')
  })

  it('of many tasks shows those around the active one, and counts the rest', () => {
    const many = Array.from({ length: 10_000 }, (_, n) =>
      item(`#${n + 1}`, n < 5000 ? 'completed' : n === 5000 ? 'in_progress' : 'pending'),
    )
    expect(show(many, 80, 10)).toEqual([
      '📋 Tasks',
      '  … 4998 done above',
      '  ✅ #4999 Do #4999',
      '  ✅ #5000 Do #5000',
      '  🔄 #5001 Doing #5001',
      '  ⏸️ #5002 Do #5002',
      '  ⏸️ #5003 Do #5003',
      '  ⏸️ #5004 Do #5004',
      '  … 4996 pending below',
      '  📊 Progress: 5000/10000 (50%)',
    ])
  })

  it.each([
    [
      'what comes next',
      [...Array(20).keys()].map(n => item(`#${n}`, n < 9 ? 'completed' : 'pending', n === 9 ? ['#10'] : [])),
      '#10',
    ],
    ['the end', [...Array(20).keys()].map(n => item(`#${n}`, 'completed')), '#19'],
  ])('with nothing active shows %s', (_, items, id) => {
    expect(show(items, 80, 7).some(line => line.includes(` ${id} `))).toBe(true)
  })

  it('is whole in the summary, in plain text with ids and blockers', () => {
    expect(taskSummary(list)).toEqual([
      '[x] #1 Do #1',
      '[ ] #3 Do #3 › blocked by #3-bug-2, #2',
      '    [x] #3-bug-1 Do #3-bug-1',
      '    [>] #3-bug-2 Do #3-bug-2',
      '[ ] #4 Do #4 › blocked by #1, #2, #3, #5, #6, #7, #8',
      '[ ] Mine',
      'Progress: 2/6 (33%)',
    ])
  })

  it('of no tasks has no progress', () => {
    expect(show([])).toEqual(['📋 Tasks', '  📊 Progress: 0/0 (0%)'])
  })

  it.each(HOSTILE)('lets nothing of %s through', (_, text) => {
    const items = (['completed', 'in_progress', 'pending'] as const).map(status => ({
      id: text,
      content: text,
      activeForm: text,
      status,
      blockedBy: [text],
    }))
    const lines = [...show(items, 60), ...taskSummary(items, new Map([[text, text]]))]
    expect(lines.join('')).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]|evil/)
  })

  it('never exceeds the width or the number of lines, and loses no task', () => {
    const text = fc.string({ unit: fc.oneof(fc.constantFrom('a', '語', '✅', '/', ' ', '\n'), fc.string()) })
    const id = fc.oneof(text, fc.constantFrom('#1', '#2', '#1-bug-1', '#1-bug-2', '#1-bug-1-bug-1'))
    const items = fc.array(
      fc.record({
        id: fc.option(id, { nil: undefined }),
        content: text,
        activeForm: text,
        status: fc.constantFrom('pending', 'in_progress', 'completed'),
        blockedBy: fc.array(id),
      }),
    )
    fc.assert(
      fc.property(
        items,
        fc.integer({ min: 8, max: 100 }),
        fc.integer({ min: 5, max: 30 }),
        (all, columns, most) => {
          const lines = show(all as TodoItem[], columns, most)
          expect(lines.length).toBeLessThanOrEqual(most)
          for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns)
          expect(taskSummary(all as TodoItem[])).toHaveLength(all.length + 1)
        },
      ),
    )
  })
})
