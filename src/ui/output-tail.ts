import type { RunEvent } from '../core/events.ts'
import type { Bounds } from '../view/agent-lines.ts'
import { type RunLinesOptions, runLines } from '../view/run-lines.ts'
import type { OutputView } from '../view/screens/model.ts'
import { formatEndingOf } from '../view/screens/rows.ts'
import type { RunFacts } from '../view/screens/run-facts.ts'
import type { Style } from '../view/style.ts'
import type { Fit } from '../view/text/fit.ts'
import { clockTime } from '../view/time.ts'

/** What is kept of a run's output. A screen may be open for weeks. */
const MOST_EVENTS = 5000
const MOST_CHARACTERS = 8_000_000
const MOST_LINES = 8000

/** What is shown of edits and results of tools. */
const FOLDED: Bounds = { maxLines: 12, maxChars: 2000 }
const WHOLE: Bounds = { maxLines: 200, maxChars: 20_000, resultLines: 200 }

export type OutputTail = {
  add(event: RunEvent): void
  /** The latest lines, broken at this width. */
  view(columns: number, isUnfolded: boolean): OutputView
}

/**
 * The latest output of a run as the console formats it. The events are kept, not only their lines: a terminal of another
 * width breaks them elsewhere.
 */
export function outputTail(style: Style, facts: () => RunFacts | null): OutputTail {
  let events: { event: RunEvent; size: number }[] = []
  let size = 0
  let lines: string[] = []
  let dropped = 0
  let shape = { columns: 80, isUnfolded: false }
  /** Made with the first event, when it is known which run this is. */
  let format: ((event: RunEvent) => string[]) | null = null

  function formatter() {
    const { columns, isUnfolded } = shape
    const known = facts()
    const options: RunLinesOptions = {
      style,
      bounds: isUnfolded ? WHOLE : FOLDED,
      streamAgent: true,
      limit: known?.state.limits.iterations ?? null,
      clock: at => clockTime(at, Date.now()),
      columns: () => columns,
      stageOf: stage => facts()?.workflow.table.stages[stage],
      isParallel: (known?.workflow.table.width ?? 1) > 1,
      project: known?.began.project ?? null,
      list: listNow,
      ending: (_, fit) => endLines(fit),
      // What is under way has a line of its own.
      live: true,
    }
    return runLines(options)
  }

  function listNow() {
    const known = facts()
    return known?.workflow.listed ? { items: known.items, blocked: known.blocked } : null
  }
  function endLines(fit: Fit): string[] {
    const known = facts()
    return known ? ['', ...fit.wrap(formatEndingOf(known, true), style.colors.bold)] : []
  }

  function append(more: readonly string[]): void {
    for (const line of more) lines.push(line)
    if (lines.length <= MOST_LINES * 1.25) return
    dropped += lines.length - MOST_LINES
    lines = lines.slice(-MOST_LINES)
  }

  /** In larger steps: moving thousands of entries for each new one would take too long. */
  function forget(): void {
    const from = Math.max(events.length - MOST_EVENTS, 1)
    events = events.slice(from)
    while (events.length > 1 && sizeOfAll() > MOST_CHARACTERS / 2) events = events.slice(events.length >> 1)
    size = sizeOfAll()
  }
  const sizeOfAll = () => events.reduce((sum, one) => sum + one.size, 0)

  return {
    add(event) {
      const its = sizeOf(event)
      events.push({ event, size: its })
      size += its
      if (events.length > MOST_EVENTS * 1.25 || size > MOST_CHARACTERS) forget()
      format ??= formatter()
      append(format(event))
    },
    view(columns, isUnfolded) {
      if (columns !== shape.columns || isUnfolded !== shape.isUnfolded) {
        shape = { columns, isUnfolded }
        format = formatter()
        lines = []
        for (const { event } of events) append(format(event))
      }
      return { lines, dropped }
    },
  }
}

/** About how many characters an event takes. */
function sizeOf(event: RunEvent): number {
  if (event.type !== 'agent') return 200
  const { event: its } = event
  return 200 + ('text' in its ? its.text.length : 0) + ('output' in its ? its.output.length : 0)
}
