import { describe, expect, it } from 'vitest'
import { htmlReport } from '../../src/view/report/html.ts'
import type { Receipt } from '../../src/view/report/receipt.ts'
import { chromiumPath } from '../support/chromium.ts'
import { receiptOf } from '../support/receipt.ts'
import { browserForTests } from './pages.ts'
import { green, journal, MINUTE, red } from './report-journal.ts'

const ordinary = () => {
  const pen = journal({ limits: { iterations: 3 } })
  pen.start().end({ usd: 0.11, tokens: [88_000, 73_000, 416] })
  pen.add({ type: 'changed', id: 1, paths: ['src/cart.js', 'src/price.js'], count: 2 })
  pen.settle({ move: 'fail', findings: [red(), green('npm run lint')] })
  pen.add({ type: 'instructed', text: 'Use the new API' }).add({ type: 'warned', note: 'careful' })
  pen.iterate({ end: 'limited', note: 'limit reached' }).later(5 * MINUTE)
  pen.iterate({ usd: 0.07, move: 'more' }).iterate({ usd: 0.07, move: 'more' })
  return receiptOf(pen.finish('exhausted', 'all 3 iterations are used'))
}

/** Nothing in it has a place to break, and all of it would like to be more than text. */
const unwieldy = () => {
  const long = `${'x'.repeat(300)}<img src="http://127.0.0.1:9/x" onerror="console.error(1)"><script>console.error(2)</script>`
  const pen = journal({ tasks: [[long, long]] })
  const findings = [{ check: long, verdict: 'fail' as const, note: long }]
  for (let i = 0; i < 300; i++)
    pen.iterate({ usd: 1e6, tokens: [1e12, 1e12, 1e12], move: 'fail', note: long, findings })
  pen.add({ type: 'changed', id: 1, paths: [long], count: 1 }).add({ type: 'warned', note: long })
  return receiptOf(pen.finish('blocked', long))
}

describe.skipIf(chromiumPath === null)('the page of a receipt, in a browser', () => {
  const openPage = browserForTests()
  const open = (receipt: Receipt, width: number, colorScheme?: 'light' | 'dark') =>
    openPage(htmlReport(receipt), width, colorScheme)

  it('shows what happened, to be read from top to bottom', async () => {
    const { page } = await open(ordinary(), 1200)
    const shown = await page.locator('body').innerText()
    const parts = [
      'ralph run 20260301-221530-k3f',
      'not done: all 3 iterations are used',
      '3 iterations, and 1 that does not count',
      '2 files changed',
      '$0.25, and 1 call of unknown cost',
      '4m0s at work, 5m0s waiting',
      'ralph resume 20260301-221530-k3f -m 13',
      'Cost per iteration, at most $0.11',
      '✗ npm test failed with exit code 1',
      '✓ npm run lint',
      '2 files changed: src/cart.js, src/price.js',
      'before iteration 2: Use the new API',
      'careful',
    ]
    const places = parts.map(part => shown.indexOf(part))
    expect(parts.filter((_, at) => places[at] === -1)).toEqual([])
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    const bars = page.locator('figure.cost rect.bar')
    const heights = await bars.evaluateAll(all => all.map(bar => bar.getBoundingClientRect().height))
    expect(heights.map(height => Math.round((height / heights[0]!) * 100))).toEqual([100, 0, 64, 64])
  })

  it.each([
    ['light', 'rgb(255, 255, 255)'],
    ['dark', 'rgb(18, 21, 26)'],
  ] as const)('is %s where the reader’s system is', async (scheme, color) => {
    const { page } = await open(ordinary(), 1200, scheme)
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(color)
  })

  it.each([
    ['an ordinary run', ordinary],
    ['an unwieldy run', unwieldy],
  ])('of %s asks for nothing, runs nothing, and fits a phone and a desk', async (_, make) => {
    for (const width of [400, 1200])
      expect(await open(make(), width)).toMatchObject({ trouble: [], overflow: 0 })
  })
})
