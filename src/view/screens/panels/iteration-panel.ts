import { formatDuration, formatUsd } from '../../../core/format.ts'
import { toneOf } from '../../report/format.ts'
import type { Iteration } from '../../report/iterations.ts'
import type { Style } from '../../style.ts'
import { plainLine } from '../../text/plain.ts'
import { cutTo } from '../../text/width.ts'
import { fill, type Pane, tall, windowOf } from '../layout.ts'
import type { RunFacts } from '../run-facts.ts'

const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** What each of the latest iterations cost, as bars; a dot where that is not known. */
function costChart(iterations: readonly Iteration[], columns: number): string {
  const shown = iterations.slice(-columns)
  const most = shown.reduce((top, { usd }) => Math.max(top, usd ?? 0), 0)
  return shown
    .map(({ usd }) =>
      usd === null
        ? '·'
        : BARS[most === 0 ? 0 : Math.min(Math.floor((usd / most) * BARS.length), BARS.length - 1)],
    )
    .join('')
}

/** A chart of the cost, and the latest iterations. */
export function iterationPanel(
  { iterations }: RunFacts,
  entry: number,
  { columns, rows, style }: Pane,
): string[] {
  const { colors } = style
  if (iterations.length === 0) return tall([colors.dim(' no iteration yet')], rows)
  const known = iterations.flatMap(({ usd }) => (usd === null ? [] : [usd]))
  const most = known.length === 0 ? 'which is not known' : `at most ${formatUsd(Math.max(...known))}`
  const { from, to } = windowOf(entry, iterations.length, rows - 3)
  return tall(
    [
      ` ${costChart(iterations, columns - 2)}`,
      colors.dim(` cost per iteration, ${most}`),
      ...iterations
        .slice(from, to)
        .map((iteration, index) => rowOf(iteration, from + index === entry, columns, style)),
    ],
    rows,
  )
}

function rowOf(iteration: Iteration, isSelected: boolean, columns: number, { colors }: Style): string {
  const { n, task, stage, agent, end, usd, estimated, ms, note } = iteration
  const cells = [
    fill(String(n), 4),
    fill(plainLine(task, 40), 12),
    fill(plainLine(stage), 10),
    fill(plainLine(agent ?? 'ralph'), 8),
    fill(end, 11),
    fill(usd === null ? '–' : formatUsd(usd, estimated), 8),
    fill(formatDuration(ms), 7),
    plainLine(note),
  ]
  const line = cutTo(`${isSelected ? '›' : ' '}${cells.join(' ')}`, columns)
  if (isSelected) return colors.inverse(fill(line, columns))
  const tone = toneOf(end)
  return tone === 'good' ? colors.green(line) : tone === 'bad' ? colors.red(line) : line
}
