import { plural } from '../../core/format.ts'
import type { Tone } from '../page.ts'
import { html, htmlCommands, htmlPage } from '../report/html-page.ts'
import { plainLine } from '../text/plain.ts'
import type { DoneTask, LandedRun, LookAt, Morning, NeedyRun, RunName } from './model.ts'
import {
  DONE_TONES,
  formatAtWork,
  formatCells,
  formatChangesOf,
  formatDone,
  formatHead,
  formatNeed,
  formatQuiet,
  formatReasons,
  formatTotal,
  formatWork,
  isQuiet,
} from './words.ts'

/** A morning report as one page, with everything. */
export function htmlMorning(morning: Morning): string[] {
  const { text, tone } = resultOf(morning)
  const { needsYou, landed, costs, lookFirst, stillRunning, now } = morning
  return htmlPage({ title: formatHead(morning), result: text, tone, madeBy: 'ralph morning --html' }, [
    ...part('Needs you', needsYou, needy),
    ...part('Landed', landed, landing),
    ...costTable(costs),
    ...part('What to look at first', lookFirst, look),
    ...part('Still running', stillRunning, one => [`<p class="dim">${html(formatAtWork(one, now))}</p>`]),
  ])
}

/** The night in one sentence. */
function resultOf(morning: Morning): { text: string; tone: Tone } {
  if (isQuiet(morning)) return { text: formatQuiet(morning), tone: 'middling' }
  const { verified } = morning.costs.total
  const needy = morning.needsYou.length
  const parts = [
    `${plural(verified, 'task')} verified`,
    ...(needy > 0 ? [`${plural(needy, 'run')} ${needy === 1 ? 'needs' : 'need'} you`] : []),
  ]
  return { text: parts.join(', '), tone: needy > 0 ? 'middling' : verified > 0 ? 'good' : 'middling' }
}

const part = <T extends RunName>(title: string, runs: readonly T[], body: (run: T) => string[]): string[] =>
  runs.length === 0 ? [] : [`<h2>${title}</h2>`, ...runs.flatMap(run => [heading(run), ...body(run)])]

const heading = (about: RunName): string =>
  `<h3>${html(plainLine(about.name))} · ${html(formatWork(about))} <span class="dim">${html(plainLine(about.project, 1000))}</span></h3>`

const needy = ({ needs, resume }: NeedyRun): string[] => [
  ...needs.flatMap(need => [
    `<p>${html(formatNeed(need))}</p>`,
    ...need.commands.map(command => htmlCommands([command])),
  ]),
  ...(resume === null ? [] : [htmlCommands([resume])]),
]

function landing(run: LandedRun): string[] {
  const changes = formatChangesOf(run)
  return [
    '<ul class="list">',
    ...run.tasks.map(done),
    '</ul>',
    ...(changes === '' ? [] : [`<p class="dim">${html(changes)}</p>`]),
  ]
}

function done(task: DoneTask): string {
  const [title, how, commits] = formatDone(task)
  const mark = `<span class="how ${DONE_TONES[task.how]}">${html(how)}</span>`
  return `<li>${html(title)} ${mark} <span class="dim">${html(commits)}</span></li>`
}

const look = (one: LookAt): string[] => [
  `<p>${html(formatReasons(one))}</p>`,
  htmlCommands([...one.look, ...(one.undo === null ? [] : [one.undo])]),
]

const COLUMNS = ['cost', 'per verified task', 'time', 'tokens in / out']

function costTable({ runs, total }: Morning['costs']): string[] {
  if (runs.length === 0) return []
  const head = COLUMNS.map(name => `<th class="number">${name}</th>`).join('')
  const row = (run: Morning['costs']['runs'][number]) => {
    const cells = formatCells(run).map(
      (cell, at) => `<td class="number" data-name="${COLUMNS[at]}">${html(cell)}</td>`,
    )
    return `<tr><td>${html(plainLine(run.name))}</td>${cells.join('')}</tr>`
  }
  return [
    '<h2>What it cost</h2>',
    `<p>${html(formatTotal(total))}</p>`,
    '<table class="figures">',
    `<thead><tr><th>run</th>${head}</tr></thead>`,
    ...runs.map(row),
    '</table>',
  ]
}
