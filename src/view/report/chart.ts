import { plural } from '../../core/format.ts'
import { html } from './html-page.ts'

/** More bars could not be told apart, so each then shows several iterations. */
const MOST_BARS = 200
/** With fewer bars, the rest of the chart stays empty. Otherwise two iterations would fill all of it. */
const FEWEST_SLOTS = 30
const HEIGHT = 100

type Point = { n: number; value: number | null }
type Bar = { from: number; to: number; value: number | null }

/**
 * A bar chart of one amount per iteration, as SVG without a script. The SVG is stretched to the width of the page, so the
 * text is outside of it and keeps its size on a phone.
 */
export function drawBars(
  kind: string,
  title: string,
  points: readonly Point[],
  format: (value: number) => string,
): string {
  const { bars, size } = gather(points)
  const top = bars.reduce((most, bar) => Math.max(most, bar.value ?? 0), 0)
  const slots = Math.max(bars.length, FEWEST_SLOTS)
  const per = size === 1 ? 'per iteration' : `per ${size} iterations`
  const rects = bars.map((bar, index) => {
    const height = top === 0 ? 0 : ((bar.value ?? 0) / top) * HEIGHT
    const name = bar.from === bar.to ? `iteration ${bar.from}` : `iterations ${bar.from} to ${bar.to}`
    const label = `${name}: ${bar.value === null ? 'unknown' : format(bar.value)}`
    // The second one is transparent and as high as the chart, so that a low bar is easy to point at.
    return (
      `<g><title>${html(label)}</title>` +
      `<rect class="bar" x="${index + 0.1}" y="${round(HEIGHT - height)}" width="0.8" height="${round(height)}"/>` +
      `<rect class="hit" x="${index}" y="0" width="1" height="${HEIGHT}"/></g>`
    )
  })
  const first = points[0]?.n ?? 0
  const last = points.at(-1)?.n ?? 0
  const caption = `${title} ${per}, at most ${format(top)}`
  return `<figure class="${kind}">
<figcaption>${html(caption)}</figcaption>
<svg viewBox="0 0 ${slots} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${html(`${caption}; ${plural(points.length, 'iteration')}`)}">
${rects.join('\n')}
</svg>
<div class="axis" style="width:${round((bars.length / slots) * 100)}%"><span>${first}</span>${last === first ? '' : `<span>${last}</span>`}</div>
</figure>`
}

/** Sums neighbours until at most MOST_BARS are left. A sum of unknowns is unknown. */
function gather(points: readonly Point[]): { bars: Bar[]; size: number } {
  const size = Math.max(Math.ceil(points.length / MOST_BARS), 1)
  const bars: Bar[] = []
  points.forEach(({ n, value }, index) => {
    const last = bars.at(-1)
    if (index % size === 0 || !last) bars.push({ from: n, to: n, value })
    else {
      last.to = n
      if (value !== null) last.value = (last.value ?? 0) + value
    }
  })
  return { bars, size }
}

const round = (n: number) => Math.round(n * 100) / 100
