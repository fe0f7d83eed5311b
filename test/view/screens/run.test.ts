import { describe, expect, it } from 'vitest'
import { withFile } from '../../../src/view/screens/panels/task-panel.ts'
import { journal, taskState } from '../report-journal.ts'
import { factsOf, item, LARGE, modelWith, openScreen, runWith, SMALL } from './scene.ts'

const TASKS: [string, string][] = [
  ['#1', 'Write prices'],
  ['#2', 'Add a cart'],
  ['#3', 'Print a receipt'],
]

const done = { ...taskState('done'), proof: true }

const facts = factsOf(
  journal({ tasks: TASKS, limits: { usd: 5 } })
    .iterate({ task: '#1', move: 'pass', usd: 0.25, tokens: [1000, 800, 100], to: done })
    .start({ task: '#2' }).events,
)

const items = [
  item('#1', 'Write prices', { status: 'completed' }),
  item('#2', 'Add a cart', { status: 'in_progress', activeForm: 'Adding a cart' }),
  item('#2-bug-1', 'Fix: npm test', { status: 'pending' }),
  item('#3', 'Print a receipt', { blockedBy: ['#1', '#2'] }),
]

const lines = Array.from({ length: 500 }, (_, n) => `line ${n + 1}`)

describe.each([
  ['at 80×24', SMALL],
  ['at 160×45', LARGE],
])('a run %s', (_, size) => {
  const run = runWith(facts, { items, output: { lines, dropped: 0 }, live: 'thinking' })
  const screen = () => openScreen(modelWith({ run }), { size })

  it('has the iteration, the task, what it cost of its budget, and the share of the cache in its status bar', () => {
    const [, bar] = screen().lines()
    expect(bar).toContain('iteration 2/10 · #2 · work')
    expect(bar).toContain('$0.25 of $5.00')
    expect(bar).toContain('1K tokens, 80% cached')
  })

  it('has the tasks: done, active in its own words, pending with what blocks it, a bug fix under its task', () => {
    const shown = screen().text()
    expect(shown).toContain('✓ #1 Write prices')
    expect(shown).toContain('● #2 Adding a cart')
    expect(shown).toContain('   ○ #2-bug-1')
    expect(shown).toContain('○ #3 Print a receipt › blocked by #1, #2')
    expect(shown).toMatch(/█+░+ 1\/4/)
  })

  it('gives the command that continues it, if there is one', () => {
    const copied = (goOn: string | null) => {
      const open = openScreen(modelWith({ run: { ...run, goOn } }), { size })
      open.type('c')
      return [open.effects, open.text().includes('nothing to continue')]
    }
    expect(copied('ralph resume x -m 12')).toEqual([[{ type: 'copy', text: 'ralph resume x -m 12' }], false])
    expect(copied(null)).toEqual([[], true])
  })

  it('hides the tasks with Ctrl+T, and shows them again', () => {
    const open = screen()
    open.type('\x14')
    expect(open.text()).not.toContain('#1 Write prices')
    expect(open.text()).toContain('line 500')
    open.type('\x14')
    expect(open.text()).toContain('#1 Write prices')
  })

  it('follows the output, stops following when it is scrolled, and follows again', () => {
    const open = screen()
    expect(open.text()).toContain('line 500')
    open.type('\x1b[5~')
    expect(open.text()).not.toContain('line 500')
    expect(open.text()).toContain('scrolled')
    open.type('g')
    expect(open.text()).toMatch(/^line 1\b/m)
    open.type('f')
    expect(open.text()).toContain('line 500')
  })

  it('finds a text in the output, upwards from the end, and says where there is none', () => {
    const open = screen()
    open.type('/LINE 321\r')
    expect(open.text()).toContain('line 321')
    expect(open.text()).not.toContain('line 500')
    open.type('/nowhere\r')
    expect(open.text()).toContain('"nowhere" is not in the output')
  })

  it('is as large as the terminal, whatever is in it', () => {
    const wide = Array.from({ length: 60 }, () => '\u6f22\u5b57\u{1f642}e\u0301'.repeat(60))
    const output = { lines: wide, dropped: 9 }
    const open = openScreen(modelWith({ run: runWith(facts, { items, output }) }), { size })
    expect(open.lines()).toHaveLength(size.rows)
  })
})

describe('the list of a file', () => {
  it('shows an edit by hand at once, but what is done ralph decides', () => {
    const known = [item('#1', 'Old', { status: 'pending' }), item('#2', 'Two', { status: 'completed' })]
    const file = [
      item('#1', 'New', { status: 'completed', blockedBy: ['#2'] }),
      item('#2', 'Two'),
      item('#9', 'Added', { blockedBy: ['#1'] }),
    ]
    expect(withFile(known, file)).toEqual([
      { ...item('#1', 'New'), activeForm: 'New' },
      item('#2', 'Two', { status: 'completed' }),
      item('#9', 'Added', { blockedBy: ['#1'] }),
    ])
  })

  it('is that of the journal while the file is none', () => {
    expect(withFile(items, null)).toBe(items)
  })
})
