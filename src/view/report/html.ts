import { formatCount, formatDuration, formatUsd } from '../../core/format.ts'
import { drawBars } from './chart.ts'
import { askedOf, formatEndingAsAsked } from './ending.ts'
import {
  distinguishingFacts,
  formatChanges,
  formatCheck,
  formatCommit,
  formatDenied,
  formatFacts,
  formatNextStep,
  formatSections,
  formatTitle,
  markOf,
  numberOf,
  toneOf,
} from './format.ts'
import { html, htmlCommands, htmlPage } from './html-page.ts'
import type { Iteration } from './iterations.ts'
import type { Receipt } from './receipt.ts'
import { unknownOf, usdOrUnknown } from './spent.ts'

/** The receipt as one page that needs nothing else: no file, no network, no script. */
export function htmlReport(receipt: Receipt): string[] {
  const { text, tone } = formatEndingAsAsked(receipt, askedOf(receipt))
  const nextStep = formatNextStep(receipt)
  return htmlPage({ title: formatTitle(receipt), result: text, tone, madeBy: 'ralph report --html' }, [
    ...facts(receipt),
    ...(nextStep === null ? [] : ['<h2>To go on</h2>', htmlCommands([nextStep])]),
    ...charts(receipt),
    ...table(receipt.iterations),
    ...formatSections(receipt).flatMap(list),
  ])
}

/** What people look for first. */
const AMOUNTS: ReadonlySet<string> = new Set(['work', 'files', 'cost', 'tokens', 'time'])

function facts(receipt: Receipt): string[] {
  const all = formatFacts(receipt)
  const group = (kind: string, some: [string, string][]) => [
    `<dl class="${kind}">`,
    ...some.map(([name, value]) => `<div><dt>${name}</dt><dd>${html(value)}</dd></div>`),
    '</dl>',
  ]
  return [
    ...group(
      'tiles',
      all.filter(([name]) => AMOUNTS.has(name)),
    ),
    ...group(
      'about',
      all.filter(([name]) => !AMOUNTS.has(name)),
    ),
  ]
}

const list = ([title, items]: [title: string, items: string[]]) => [
  `<h2>${title}</h2>`,
  '<ul class="list">',
  ...items.map(item => `<li>${html(item)}</li>`),
  '</ul>',
]

function charts({ iterations, totals }: Receipt): string[] {
  if (iterations.length === 0) return []
  const points = (amount: (i: Iteration) => number | null) =>
    iterations.filter(i => i.agent !== null).map(i => ({ n: i.n, value: amount(i) }))
  const time = drawBars(
    'time',
    'Time',
    points(i => i.ms),
    formatDuration,
  )
  const cost =
    totals.usd === null
      ? []
      : [
          drawBars(
            'cost',
            'Cost',
            points(i => i.usd),
            formatUsd,
          ),
        ]
  return ['<div class="charts">', ...cost, time, '</div>']
}

function table(iterations: readonly Iteration[]): string[] {
  if (iterations.length === 0) return []
  const about = distinguishingFacts(iterations)
  return ['<h2>Iterations</h2>', '<table>', HEAD, ...iterations.map(i => row(i, about(i))), '</table>']
}

const HEAD = `<thead><tr><th class="number">#</th><th>how</th><th class="number">time</th><th class="number">cost</th>
<th class="number">tokens in</th><th class="number">cached</th><th class="number">out</th><th></th></tr></thead>`

function row(i: Iteration, about: string): string {
  const number = (name: string, value: string) =>
    `<td class="number${value === 'unknown' ? ' dim' : ''}" data-name="${name}">${html(value)}</td>`
  const count = (n: number | undefined) => (n === undefined ? unknownOf(i) : formatCount(n))
  return [
    `<tr>${number('#', numberOf(i))}<td><span class="how ${toneOf(i.end)}">${html(i.end)}</span></td>`,
    number('time', formatDuration(i.ms)),
    number('cost', usdOrUnknown(i)),
    number('in', count(i.tokens?.input)),
    number('cached', count(i.tokens?.cached)),
    number('out', count(i.tokens?.output)),
    `<td class="more">${details(i, about)}</td></tr>`,
  ].join('')
}

function details(i: Iteration, about: string): string {
  const item = (text: string, kind = '') => `<li${kind && ` class="${kind}"`}>${html(text)}</li>`
  const items = [
    ...(about === '' ? [] : [item(about, 'dim')]),
    ...(i.note === '' ? [] : [item(i.note)]),
    ...i.checks.map(c =>
      item(`${markOf(c)} ${formatCheck(c)}`, c.doubts ? 'middling' : CHECK_TONES[c.verdict]),
    ),
    ...(i.denied ?? []).map(what => item(formatDenied(what), 'middling')),
    ...(i.files ? [item(formatChanges(i.files), 'dim')] : []),
    ...i.commits.map(commit => item(formatCommit(commit), 'dim')),
  ]
  return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`
}

const CHECK_TONES = { pass: 'good', fail: 'bad', unsure: 'middling' } as const
