import { describe, expect, it } from 'vitest'
import { widthOf } from '../../../src/view/text/width.ts'
import { journal, taskState } from '../report-journal.ts'
import { factsOf, LARGE, modelWith, openScreen, rowWith, SMALL } from './scene.ts'

const TASKS: [string, string][] = [
  ['#1', 'Write prices'],
  ['#2', 'Add a cart'],
]

const calm = factsOf(journal({ tasks: TASKS }).start({ task: '#1' }).events)
const asking = factsOf(
  journal({ tasks: TASKS }).iterate({
    task: '#1',
    move: 'ask',
    to: taskState('blocked', 'Which database?'),
  }).events,
)

const rows = [
  rowWith(calm, { id: 'a', name: 'cart', began: 3, spent: { ...calm.spent, usd: 0.5 } }),
  rowWith(asking, { id: 'b', name: 'login', began: 2 }),
  rowWith(calm, { id: 'c', name: 'docs', began: 1, spent: { ...calm.spent, usd: 2 }, agent: 'codex' }),
]

describe('the overview', () => {
  it('puts who needs a person on top, with the reason', () => {
    const lines = openScreen(modelWith({ rows })).lines()
    const at = (text: string) => lines.findIndex(line => line.includes(text))
    expect(at('login')).toBe(2)
    expect(lines[3]).toContain('#1 · Write prices asks: Which database?')
    expect(at('cart')).toBeGreaterThan(3)
    expect(lines[0]).toContain('1 needs you')
  })

  it('sorts by another column, and who needs a person stays on top', () => {
    const screen = openScreen(modelWith({ rows }), { size: LARGE })
    const names = () =>
      screen.lines().flatMap(line => /\b(cart|login|docs)\b/.exec(line.slice(0, 20))?.[0] ?? [])
    expect(names()).toEqual(['login', 'cart', 'docs'])
    while (screen.ui().sort !== 'cost') screen.type('s')
    expect(names()).toEqual(['login', 'docs', 'cart'])
  })

  it('shows only what the filter finds, as it is typed; Esc clears it', () => {
    const screen = openScreen(modelWith({ rows }))
    screen.type('/codex')
    expect(screen.text()).toContain('docs')
    expect(screen.text()).not.toContain('login')
    screen.type('\x1b')
    expect(screen.text()).toContain('login')
  })

  it('moves by arrows and by vi keys, and opens the selected run', () => {
    const screen = openScreen(modelWith({ rows }))
    screen.type('j\x1b[B')
    expect(screen.ui().row).toBe('c')
    screen.type('k\r')
    expect(screen.ui()).toMatchObject({ screen: 'run', run: 'a' })
    screen.type('\x1b')
    expect(screen.ui().screen).toBe('overview')
  })

  it('cuts no cost, and of a name that is too long the beginning: the ends of ids differ', () => {
    const spent = { ...calm.spent, usd: 0.0168, unpriced: 1 }
    const id = '20260301-221530-k3f'
    const runs = [rowWith(calm, { id, name: id, status: 'cancelled', at: '3/10', last: 'cancelled', spent })]
    const rowAt = (columns: number) =>
      openScreen(modelWith({ rows: runs }), { size: { columns, rows: 24 } }).lines()[2]!
    expect(rowAt(80)).toMatch(
      /^.20260301-221530-k3f cancelled build {4}3\/10 {2}\S+ +\$0\.0168\+ +cancelled *$/,
    )
    expect(rowAt(60)).toMatch(/^.…-221530-k3f cancell\S* +build {4}3\/10 {2}\S+ +\$0\.0168\+ *$/)
  })

  it('fits the screen at any size, and says so where it cannot', () => {
    for (const size of [LARGE, { columns: 60, rows: 15 }, { columns: 83, rows: 24 }]) {
      const lines = openScreen(modelWith({ rows }), { size }).lines()
      expect(lines).toHaveLength(size.rows)
      expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(size.columns)
    }
    const tiny = openScreen(modelWith({ rows }), { size: { columns: 59, rows: 15 } })
    expect(tiny.text()).toContain('ralph needs 60×15; this is 59×15')
  })
})

describe('what is asked for', () => {
  it('is sent for the selected run', () => {
    const screen = openScreen(modelWith({ rows }))
    screen.type('jp')
    expect(screen.effects).toEqual([{ type: 'steer', verb: 'pause', run: 'a' }])
  })

  it('is an instruction as it was typed or pasted', () => {
    const screen = openScreen(modelWith({ rows }))
    screen.type('jiUse x\x7f\x1b[200~the\nAPI\x1b[201~\r')
    expect(screen.effects).toEqual([{ type: 'tell', run: 'a', text: 'Use the API' }])
  })

  it('is seen as it is typed: of a long instruction, the end', () => {
    const screen = openScreen(modelWith({ rows }))
    screen.type(`ji${'x'.repeat(5000)} the end of 日本語`)
    const last = screen.lines().at(-1)!
    expect(last).toMatch(/^ instruction: …x+ the end of 日本語█$/)
    expect(widthOf(last)).toBe(SMALL.columns)
  })

  it.each([
    ['running', 'p pause'],
    ['waiting', 'r try now'],
    ['paused', 'r go on'],
    ['crashed', 'r go on'],
    ['finished', 'm morning  '],
  ] as const)('is offered as far as it does something: a %s run, %s', (phase, hint) => {
    const screen = openScreen(modelWith({ rows: rows.map(row => ({ ...row, phase })) }))
    expect(screen.lines().at(-1)).toContain(hint)
  })

  it('is cancelled only after a yes', () => {
    const screen = openScreen(modelWith({ rows }))
    screen.type('jx')
    expect(screen.text()).toContain('Cancel cart for good?')
    screen.type('n')
    expect(screen.effects).toEqual([])
    screen.type('xy')
    expect(screen.effects).toEqual([{ type: 'steer', verb: 'cancel', run: 'a' }])
  })

  it('is killed only after two', () => {
    const workers = rows.map(row => ({ ...row, isWorker: true }))
    const screen = openScreen(modelWith({ rows: workers }))
    screen.type('jKy')
    expect(screen.effects).toEqual([])
    expect(screen.text()).toContain('Really?')
    screen.type('y')
    expect(screen.effects).toEqual([{ type: 'steer', verb: 'kill', run: 'a' }])
  })

  it('is shown: ? has every key, and the key that closes it does nothing else', () => {
    const screen = openScreen(modelWith({ rows }), { size: LARGE })
    screen.type('?')
    expect(screen.text()).toContain('add an instruction')
    screen.type('p')
    expect(screen.effects).toEqual([])
    expect(screen.text()).toContain('NAME')
  })
})
