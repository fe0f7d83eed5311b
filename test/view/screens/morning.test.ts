import { describe, expect, it } from 'vitest'
import { morningOf } from '../../../src/view/morning/morning.ts'
import { nightOf } from '../../../src/view/morning/night.ts'
import { journal, taskState } from '../report-journal.ts'
import { LARGE, modelWith, openScreen, SMALL } from './scene.ts'

const events = journal()
  .iterate({ move: 'pass', usd: 0.5, to: { ...taskState('done'), proof: true } })
  .add({ type: 'changed', id: 1, paths: ['cart.js'], count: 1 })
  .finish('complete', 'complete', 'verified')
const now = events.at(-1)!.at + 1000
const period = { since: events[0]!.at - 1000, now, words: 'since yesterday 18:00' }
const night = (name: string) =>
  nightOf({ name, events, live: false, traits: { command: 'run', listed: false } }, period)
const morning = morningOf([night('cart'), night('shop')], period, [])

const open = (size = SMALL) => {
  const screen = openScreen(modelWith({ morning, now }), { size })
  screen.type('m')
  return screen
}

describe.each([
  ['at 80×24', SMALL],
  ['at 160×45', LARGE],
])('the morning %s', (_, size) => {
  it('has what to look at first, and the report', () => {
    const text = open(size).text()
    expect(text).toContain('Look at these first')
    expect(text).toContain('› cart')
    expect(text).toContain('ralph morning: 2 runs since yesterday 18:00')
    expect(open(size).lines()).toHaveLength(size.rows)
  })
})

describe('what to look at first', () => {
  const [began] = events
  const run = began?.type === 'began' ? began.id : ''

  it('is selected, opened, and compared with one key', () => {
    const screen = open()
    screen.type('jd')
    expect(screen.text()).toContain('› shop')
    expect(screen.effects).toEqual([{ type: 'diff', run }])
    screen.type('\r')
    expect(screen.ui()).toMatchObject({ screen: 'run', run })
  })

  it('is undone after a yes', () => {
    const screen = open()
    screen.type('u')
    expect(screen.text()).toContain('Undo all that cart changed?')
    screen.type('ny')
    expect(screen.effects).toEqual([])
    screen.type('uy')
    expect(screen.effects).toEqual([{ type: 'undo', run }])
  })

  it('leaves by Esc, and no key of it steers a run', () => {
    const screen = open()
    screen.type('px\x1b')
    expect(screen.effects).toEqual([])
    expect(screen.ui().screen).toBe('overview')
  })
})
