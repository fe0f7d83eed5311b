import { describe, expect, it } from 'vitest'
import { AT_CAP } from '../../src/core/table.ts'
import { htmlMorning } from '../../src/view/morning/html.ts'
import type { Morning } from '../../src/view/morning/model.ts'
import { morningOf } from '../../src/view/morning/morning.ts'
import { morningLines } from '../../src/view/morning/page.ts'
import { skippedLines } from '../../src/view/morning/words.ts'
import { styleOf } from '../../src/view/style.ts'
import { widthOf } from '../../src/view/text/width.ts'
import { clockTime } from '../../src/view/time.ts'
import { chromiumPath } from '../support/chromium.ts'
import { HOSTILE } from './hostile.ts'
import { NIGHT, night } from './morning-scene.ts'
import { browserForTests } from './pages.ts'
import { green, journal, taskState } from './report-journal.ts'

const plain = styleOf({ color: false, emoji: true })
const text = (morning: Morning, width = 80) => morningLines(morning, plain, width)
const passes = {
  move: 'pass' as const,
  findings: [green()],
  usd: 0.5,
  tokens: [61_000, 55_000, 288] as [number, number, number],
}
const verified = { ...passes, to: { ...taskState('done'), proof: true } }

/** A build with a question, a story loop that was approved at its cap, and a run at work. */
function ordinary(): Morning {
  const shop = journal({
    tasks: [
      ['#1', 'Add a cart'],
      ['#2', 'Add tax'],
    ],
  })
  shop.start({ task: '#1' }).end(verified)
  shop.add({ type: 'changed', id: 1, paths: ['cart.js'], count: 1 })
  shop.add({ type: 'committed', id: 1, by: 'ralph', from: null, to: '1a2b3c4d5e6f' })
  shop.settle({ ...verified, task: '#1' })
  shop.iterate({ task: '#2', move: 'ask', usd: 0.25, to: taskState('blocked', 'Which country?') })
  const notes = journal({ tasks: [['US-001', 'Add a note']] })
  notes.start({ task: 'US-001' }).end(passes)
  for (const to of ['2b3c4d5e6f7a', '3c4d5e6f7a8b'])
    notes.add({ type: 'committed', id: 1, by: 'agent', from: '1a2b3c4d5e6f', to })
  notes.settle({ ...passes, task: 'US-001', move: 'capped', to: taskState('done', AT_CAP) })
  const page = journal().iterate({ move: 'more', usd: 0.1 }).start()
  return morningOf(
    [
      night(shop.finish('blocked', '#2 Which country?'), { name: 'night' }),
      night(notes.finish('complete', 'complete', 'claimed'), { name: 'notes', workflow: 'stories' }),
      night(page.events, { name: 'page', live: true }),
    ],
    NIGHT,
  )
}

/** So many runs, each with so many tasks that wait. */
function many(runs: number, tasks: number): Morning {
  const ids = Array.from({ length: tasks }, (_, n) => `T${n}`)
  const pen = journal({ tasks: ids.map(id => [id, 'x']) })
  for (const task of ids) pen.iterate({ task, move: 'spent', to: taskState('blocked', 'why') })
  const events = pen.finish('blocked', 'x')
  return morningOf(
    Array.from({ length: runs }, (_, n) => night(events, { name: `run-${n}` })),
    NIGHT,
  )
}

/** A text wherever somebody else has a say. */
function withText(hostile: string): Morning {
  const pen = journal({
    tasks: [
      [hostile, hostile],
      ['B', hostile],
    ],
  })
  pen.iterate({ ...verified, task: hostile, doubts: [{ ...green(hostile), doubts: [hostile] }] })
  pen.iterate({ task: 'B', move: 'ask', to: taskState('blocked', hostile) })
  pen.add({ type: 'denied', host: hostile }).start({ task: 'B' })
  const one = night(pen.events, { live: true })
  const failed = night(journal().iterate({ move: 'fail', note: hostile }).finish('failures', hostile))
  const named = <T extends { work: string; project: string }>(part: T) => ({
    ...part,
    work: hostile,
    project: hostile,
  })
  const morning = morningOf([one, failed], NIGHT, [{ run: hostile, why: hostile }])
  return {
    ...morning,
    needsYou: morning.needsYou.map(one => ({ ...named(one), resume: hostile })),
    landed: morning.landed.map(named),
    lookFirst: morning.lookFirst.map(one => ({ ...named(one), look: [hostile] })),
    stillRunning: morning.stillRunning.map(named),
  }
}

describe('as text', () => {
  it('it has its parts in their order, each with what to type', () => {
    const began = clockTime(Date.UTC(2026, 2, 1, 22, 15, 30), NIGHT.now)
    const lines = text(ordinary())
    const at = lines.indexOf('Still running')
    expect(`${lines.slice(0, at).join('\n')}\n`).toBe(`ralph morning: 3 runs since yesterday 18:00

Needs you
  night · build: A shop · /home/me/shop
    #2 · Add tax asks: Which country?
      ralph tell night 2 "your answer"
      then: ralph resume night

Landed
  night · build: A shop · /home/me/shop
    ✅ #1 · Add a cart  verified · 1a2b3c4d5e
    1 file changed
  notes · stories: A shop · /home/me/shop
    ⚠️ US-001 · Add a note  AUTO-APPROVED AT THE CAP · commits up to 3c4d5e6f7a

What it cost
  run      cost  per verified task   time  tokens in / out
  night   $0.75              $0.75   2m0s        61K / 288
  notes   $0.50      none verified   1m0s        61K / 288
  page   $0.10+      none verified  8h44m          unknown
  in all: $1.35, and 1 call of unknown cost · 1 verified task, $1.35 each · 122K
  tokens in (110K cached), 576 out · 8h47m at work

What to look at first
  1. notes · stories: A shop · /home/me/shop
     approved at the cap, not by a reviewer: US-001 · it is not known which
     files changed
     ralph diff notes   ralph report notes   ralph undo notes
  2. night · build: A shop · /home/me/shop
     verified · 1 file changed
     ralph diff night   ralph report night   ralph undo night

`)
    const running = lines.slice(at + 1).map(line => line.trim())
    expect(running.join(' ')).toBe(
      `page · run: A shop · /home/me/shop running, began ${began} · iteration 2 of 10 · $0.10, and 1 call of unknown cost so far`,
    )
  })

  it('it is one friendly line if nothing happened', () => {
    expect(text(morningOf([], NIGHT), 120)).toEqual([
      'A quiet night: nothing ran since yesterday 18:00; start with: ralph spawn',
    ])
  })

  it('it is bounded, and says how many more there are', () => {
    const lines = text(many(60, 40))
    expect(lines.length).toBeLessThan(250)
    expect(lines.filter(line => line.includes(' more; '))).toEqual([
      ...Array.from({ length: 10 }, () => '    … and 34 more; ralph morning --json has them all'),
      '  … and 50 more; ralph morning --json has them all',
      '  … and 50 more; ralph morning --json has them all',
    ])
  })

  it.each([40, 80, 140])('it fits %d columns', width => {
    const long = `${'many words '.repeat(30)}${'x'.repeat(200)}`
    for (const morning of [ordinary(), many(12, 12), withText(long)])
      expect(text(morning, width).filter(line => widthOf(line) > width)).toEqual([])
  })

  it.each(HOSTILE)('it lets a terminal obey nothing of %s', (_, hostile) => {
    const morning = withText(`a${hostile}b`)
    const shown = [...text(morning), ...skippedLines(morning)].join('|')
    expect(/[\x00-\x1f\x7f-\x9f]/.exec(shown)).toBeNull()
    expect(shown).not.toContain('evil')
  })
})

describe('runs that cannot be read', () => {
  it('are named, but not all of them', () => {
    const skipped = Array.from({ length: 5 }, (_, n) => ({ run: `r${n}`, why: 'it is broken' }))
    expect(skippedLines({ skipped })).toEqual([
      'run r0 is left out: it is broken',
      'run r1 is left out: it is broken',
      'run r2 is left out: it is broken',
      '2 more runs cannot be read',
    ])
  })
})

describe('as a page', () => {
  it('it lets a browser obey nothing that an agent wrote', () => {
    const page = htmlMorning(withText('<script>alert(1)</script><img src=x onerror=1>"\'&')).join('\n')
    expect(page).not.toMatch(/<script|<img/)
    expect(page).toContain('&lt;script&gt;')
  })

  it('it says in one sentence what the night came to', () => {
    const result = (morning: Morning) => /class="result">(.*?)</.exec(htmlMorning(morning).join('\n'))![1]
    expect(result(ordinary())).toBe('1 task verified, 1 run needs you')
    expect(result(morningOf([], NIGHT))).toContain('A quiet night')
  })
})

describe.skipIf(chromiumPath === null)('the page of a morning, in a browser', () => {
  const openPage = browserForTests()

  it('has the same parts as the text, in their order', async () => {
    const { page } = await openPage(htmlMorning(ordinary()), 1200)
    const shown = await page.locator('body').innerText()
    const parts = [
      'ralph morning: 3 runs since yesterday 18:00',
      '1 task verified, 1 run needs you',
      '#2 · Add tax asks: Which country?',
      'ralph tell night 2 "your answer"',
      'ralph resume night',
      '#1 · Add a cart',
      'AUTO-APPROVED AT THE CAP',
      'What it cost',
      'What to look at first',
      'ralph undo notes',
      'iteration 2 of 10',
    ]
    const places = parts.map(part => shown.indexOf(part))
    expect(parts.filter((_, at) => places[at] === -1)).toEqual([])
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  it.each([
    ['an ordinary night', ordinary],
    ['many runs', () => many(100, 10)],
    [
      'texts that would be more than text',
      () => withText(`${'x'.repeat(300)}<img src="http://127.0.0.1:9/x" onerror="console.error(1)">`),
    ],
  ])('of %s asks for nothing, runs nothing, and fits a phone and a desk', async (_, make) => {
    for (const width of [400, 1200])
      expect(await openPage(htmlMorning(make()), width)).toMatchObject({ trouble: [], overflow: 0 })
  })
})
