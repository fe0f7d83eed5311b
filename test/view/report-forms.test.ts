import { describe, expect, it } from 'vitest'
import type { Finding, RunEvent } from '../../src/core/events.ts'
import { reportLines } from '../../src/runs/report.ts'
import { htmlReport } from '../../src/view/report/html.ts'
import { markdownReport, textReport } from '../../src/view/report/page.ts'
import type { Receipt } from '../../src/view/report/receipt.ts'
import { styleOf } from '../../src/view/style.ts'
import { receiptOf } from '../support/receipt.ts'
import { doubt, green, journal, MINUTE, red, taskState } from './report-journal.ts'

const noColor = styleOf({ color: false, emoji: true })
const text = (receipt: Receipt, width = 80) => textReport(receipt, noColor, width).join('\n')
const html = (receipt: Receipt) => htmlReport(receipt).join('\n')
const markdown = (receipt: Receipt) => markdownReport(receipt).join('\n')
const json = (receipt: Receipt) => reportLines(receipt, { json: true }, noColor, 80).join('\n')

const verified = () => {
  const pen = journal().iterate({
    usd: 0.11,
    tokens: [88_000, 73_000, 416],
    move: 'fail',
    findings: [red(), green('npm run lint')],
  })
  pen.add({ type: 'warned', note: 'not a git repository' })
  pen.iterate({ end: 'limited', note: 'limit reached' }).later(5 * MINUTE)
  pen.start().end({ usd: 0.07, tokens: [61_000, 55_000, 288] })
  pen.add({ type: 'committed', id: 3, by: 'ralph', from: null, to: '1a2b3c4d5e6f708192a3' })
  pen.settle({ move: 'pass', findings: [green()] })
  return receiptOf(pen.finish('complete', 'complete', 'verified'))
}

const left = () => {
  const tasks: [string, string][] = [
    ['T1', 'Cart'],
    ['T2', 'Tax'],
  ]
  const pen = journal({ tasks, limits: { iterations: 2 } })
  pen.iterate({ task: 'T1', move: 'pass' })
  pen.iterate({ task: 'T2', agent: 'codex', end: 'error', note: 'Invalid API key' })
  return receiptOf(pen.finish('exhausted', 'all 2 iterations are used'))
}

describe.each<[string, (receipt: Receipt) => string]>([
  ['text', text],
  ['Markdown', receipt => markdown(receipt).replaceAll('\\', '')],
  ['a page', html],
])('as %s', (_, form) => {
  it('it tells of each iteration what the sandbox kept it from', () => {
    const pen = journal()
    pen.start().start()
    pen.add({ type: 'denied', id: 1, host: 'example.com' })
    pen.add({ type: 'refused', id: 2, path: '/etc/hosts' })
    const receipt = receiptOf(pen.finish('exhausted', 'all 2 iterations are used'))
    expect(receipt.iterations.map(({ denied }) => denied)).toEqual([['example.com'], ['writing /etc/hosts']])
    expect(form(receipt)).toContain('the sandbox refused example.com')
    expect(form(receipt)).toContain('the sandbox refused writing /etc/hosts')
  })
})

describe('as text', () => {
  it('it is all that happened, in the width of a terminal', () => {
    expect(`${text(verified())}\n`).toBe(`ralph run 20260301-221530-k3f
  result    done, verified
  work      2 iterations, and 1 that does not count
  cost      $0.18, and 1 call of unknown cost
  tokens    149K tokens in (128K cached), 704 out
  time      3m0s at work, 5m0s waiting
  began     2026-03-01 22:15:30 UTC
  project   /home/me/shop
  workflow  run
  agent     claude

    #  how            time     cost  tokens in (cached) / out
    1  fail           1m0s    $0.11  88K (73K) / 416
      ✗ npm test failed with exit code 1
      ✓ npm run lint
    2  limited        1m0s  unknown  unknown
      limit reached
    2  pass           1m0s    $0.07  61K (55K) / 288
      ✓ npm test
      committed 1a2b3c4d5e

warnings
  not a git repository
`)
  })

  it('it tells tasks and agents apart where there are several, and what is left', () => {
    expect(text(left()).split('\n').slice(11)).toEqual([
      '    #  how            time     cost  tokens in (cached) / out',
      '    1  pass           1m0s  unknown  unknown  T1 · claude · Cart',
      '    2  error          1m0s  unknown  unknown  T2 · codex · Tax',
      '      Invalid API key',
      '',
      'left',
      '  T2 · Tax (work)',
      '',
      'to go on  ralph resume 20260301-221530-k3f -m 12',
    ])
  })

  it('it has colours only where they are wanted', () => {
    expect(text(verified())).not.toContain('\x1b')
    expect(textReport(verified(), styleOf({ color: true, emoji: true }), 80).join('\n')).toContain('\x1b[32m')
  })

  it('it lists no more warnings than one reads', () => {
    const pen = journal()
    for (let i = 1; i <= 25; i++) pen.add({ type: 'warned', note: `note ${i}.` })
    const shown = text(receiptOf(pen.events))
    expect(shown).toContain('note 20.\n  … and 5 more')
    expect(shown).not.toContain('note 21.')
  })
})

/** Everything that a text could do where it is shown: none of it may arrive. */
const EVIL =
  '</script></style><img src=x onerror=alert(1)> "q" \'s\' &lt; | `c` [a](javascript:x)\n| x |\r\x1b]0;title\x07\x1b[2J\x9b2J\x00\u202e\u2066\u200b'

const hostile = () => {
  const finding: Finding = { check: EVIL, verdict: 'fail', note: EVIL }
  const pen = journal({ tasks: [[EVIL, EVIL]] })
  pen.iterate({ task: EVIL, stage: EVIL, agent: EVIL, move: 'fail', findings: [finding], note: EVIL })
  pen.iterate({ end: 'error', note: EVIL, to: taskState('blocked', EVIL) })
  pen.add({ type: 'committed', id: 2, by: 'agent', from: EVIL, to: EVIL })
  pen.add({ type: 'warned', note: EVIL })
  const events = pen.finish('exhausted', EVIL)
  const [began] = events
  return receiptOf([{ ...began, id: EVIL, project: EVIL, workflow: EVIL } as RunEvent, ...events.slice(1)])
}

describe('hostile texts', () => {
  it('get everywhere, the command that continues included', () => {
    expect(text(hostile())).toContain('to go on  ralph resume </script>')
  })

  it.each([
    ['text', text],
    ['markdown', markdown],
    ['html', html],
    ['json', json],
  ])('leave no control character or direction in %s', (_, form) => {
    const shown = form(hostile())
    expect(shown).toContain('onerror')
    expect(shown).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e\u2066]/)
  })

  it('are the same values in JSON', () => {
    expect(JSON.parse(json(hostile()))).toEqual(hostile())
  })

  it('bring no tag, attribute or entity of their own into HTML', () => {
    const tags = (page: string) => new Set([...page.matchAll(/<\/?[a-z0-9]*/g)].map(([tag]) => tag))
    const page = html(hostile())
    const known = new Set([...tags(html(verified())), ...tags(html(left()))])
    expect([...tags(page)].filter(tag => !known.has(tag))).toEqual([])
    expect(page).not.toMatch(/<[^>]*\s(?:on\w+|src|href)=/)
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt; &quot;q&quot; &#39;s&#39; &amp;lt;')
  })

  it('stay in their cell of a Markdown table', () => {
    const rows = markdown(hostile())
      .split('\n')
      .filter(line => line.startsWith('|'))
    const cells = (row: string) => row.replace(/\\./g, '').split('|').length - 2
    expect(new Set(rows.map(cells))).toEqual(new Set([2, 6]))
    expect(rows.join('\n').replace(/\\./g, '')).not.toMatch(/[<>`[\]]/)
  })

  it('are no wider in text than the terminal', () => {
    const pen = journal().iterate({ end: 'error', note: `${'漢'.repeat(60)}${'x'.repeat(100)}` })
    pen.add({ type: 'warned', note: `a word, then ${'y'.repeat(70)} and ${'words '.repeat(12)}` })
    const lines = text(receiptOf(pen.events), 60).split('\n')
    expect(lines).toContain(`      ${'漢'.repeat(26)}…`)
    expect(
      lines.slice(lines.indexOf('warnings') + 1, lines.findIndex(l => l.startsWith('to go on')) - 1),
    ).toEqual([
      '  a word, then',
      `    ${'y'.repeat(56)}`,
      `    ${'y'.repeat(14)} and words words words words words words`,
      '    words words words words words words',
    ])
  })
})

describe('as Markdown', () => {
  it('it is a table', () => {
    expect(markdown(verified())).toContain(`## Iterations

| # | how | time | cost | in / cached / out | |
|--:|---|--:|--:|--:|---|
| 1 | fail | 1m0s | $0.11 | 88000 / 73000 / 416 | ✗ npm test failed with exit code 1; ✓ npm run lint |
| 2 | limited | 1m0s | unknown | unknown | limit reached |
| 2 | pass | 1m0s | $0.07 | 61000 / 55000 / 288 | ✓ npm test; committed 1a2b3c4d5e |`)
    expect(markdown(left())).toContain(
      '| 2 | error | 1m0s | unknown | unknown | T2 · codex · Tax; Invalid API key |',
    )
    expect(markdown(left())).toContain(
      '## Left\n\n- T2 · Tax (work)\n\n## To go on\n\n- ralph resume 20260301-221530-k3f -m 12',
    )
  })
})

const bars = (page: string) => page.split('<rect class="bar"').length - 1
const long = (iterations: number, usd?: number) => {
  const pen = journal()
  for (let i = 0; i < iterations; i++) pen.iterate({ usd, ms: 1000, move: 'more' })
  return receiptOf(pen.events)
}

describe('as HTML', () => {
  it('it needs nothing from outside and runs nothing', () => {
    const page = html(verified())
    expect(page).not.toMatch(/<script|<link|@import|url\(|https?:/)
    expect(page).toContain(`content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;"`)
    expect(page).toContain('@media (prefers-color-scheme: dark)')
    expect(page).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
  })

  it('it has a chart of cost and one of time, a bar for each iteration', () => {
    const page = html(verified())
    expect(page).toContain('<figcaption>Cost per iteration, at most $0.11</figcaption>')
    expect(page).toContain('<figcaption>Time per iteration, at most 1m0s</figcaption>')
    expect(page).toContain('<title>iteration 2: unknown</title>')
    expect(page).toMatch(
      /iteration 2: \$0\.07<\/title><rect class="bar" x="2.1" y="36.36" width="0.8" height="63.64"/,
    )
    expect(bars(page)).toBe(6)
  })

  it('it has no chart of a cost that nobody told', () => {
    expect(html(left())).not.toContain('Cost per iteration')
  })

  it('it has a chart of nothing where nothing took any time', () => {
    expect(html(receiptOf(journal().start().events))).toContain('at most 0.0s')
    expect(html(receiptOf(journal().events))).not.toContain('<svg')
  })

  it.each([
    [200, 200, 'per iteration, at most $0.01'],
    [201, 101, 'per 2 iterations, at most $0.02'],
    [10_000, 200, 'per 50 iterations, at most $0.50'],
  ])('%i iterations make %i bars in each of its charts', (iterations, count, caption) => {
    const page = html(long(iterations, 0.01))
    expect(bars(page)).toBe(2 * count)
    expect(page).toContain(caption)
    expect(page).toContain(`<span>1</span><span>${iterations}</span>`)
  })
})

describe('a long run', () => {
  it('of 10,000 iterations is told whole in every form', () => {
    const receipt = long(10_000, 0.01)
    expect(text(receipt)).toContain('\n10000  more')
    expect(markdown(receipt)).toContain('\n| 10000 |')
    expect(html(receipt)).toContain('data-name="#">10000<')
    expect(receipt.totals.usd).toBeCloseTo(100)
  })
})

describe('what casts doubt on green checks', () => {
  const doubted = () =>
    receiptOf(
      journal()
        .iterate({ move: 'pass', findings: [green(), doubt], doubts: [doubt] })
        .finish('complete', 'tests: a.test.js was deleted', 'claimed'),
    )

  it('is in every form of a receipt', () => {
    expect(text(doubted())).toContain('result    done as claimed: tests: a.test.js was deleted')
    expect(text(doubted())).toContain('! tests a.test.js was deleted; b.test.js <skips>')
    expect(text(doubted())).toContain('doubts\n  tests: a.test.js was deleted\n  tests: b.test.js <skips>')
    expect(markdown(doubted())).toContain('## Doubts\n\n- tests: a.test.js was deleted')
    expect(html(doubted())).toContain(
      '<h2>Doubts</h2>\n<ul class="list">\n<li>tests: a.test.js was deleted</li>',
    )
    expect(html(doubted())).toContain('<li>tests: b.test.js &lt;skips&gt;</li>')
    expect(JSON.parse(json(doubted()))).toMatchObject({
      ending: { proof: 'claimed', why: 'tests: a.test.js was deleted' },
      doubts: [{ check: 'tests', doubts: doubt.doubts }],
      iterations: [{ checks: [{ check: 'npm test' }, { check: 'tests', doubts: doubt.doubts }] }],
    })
  })

  it('is gone from the receipt once it was put right, but not from its iteration', () => {
    const pen = journal().iterate({ move: 'more', findings: [green(), doubt], doubts: [doubt] })
    pen.iterate({ move: 'pass', findings: [green()], doubts: [] })
    const receipt = receiptOf(pen.finish('complete', 'complete', 'verified'))
    expect(receipt.doubts).toEqual([])
    expect(text(receipt)).toContain('! tests a.test.js was deleted')
    expect(text(receipt)).not.toContain('doubts\n')
  })
})
