import type { AgentEnded, AgentEvent } from '../core/events.ts'
import { formatCount, formatDuration, formatUsd, plural } from '../core/format.ts'
import { type Bounds, diffExcerpt, excerpt, firstLineOf, sizeOf } from './excerpt.ts'
import type { Style } from './style.ts'
import { type Fit, fitTo, narrowed } from './text/fit.ts'
import { plain, plainLine } from './text/plain.ts'
import { todoLines } from './todo-lines.ts'
import { type ToolNamer, toolNamer } from './tool-call.ts'

const WHOLE = fitTo(null)

/** How much of the output of a tool that failed is shown. */
const ERROR_LINES = 3

export type AgentLinesOptions = { style: Style; bounds: Bounds; nameTool?: ToolNamer }

/**
 * Turns the events of one iteration into lines, and matches tool results with their calls. Make a new one for each
 * iteration. `began`: when it began; null: with its first event.
 */
export function agentLines(
  { style, bounds, nameTool = toolNamer(null) }: AgentLinesOptions,
  began: number | null = null,
): (event: AgentEvent, at: number, fit?: Fit) => string[] {
  const { colors, marks } = style
  /** Calls that have no result yet, and whether their diff was shown. */
  const calls = new Map<string, { name: string; hasDiff: boolean }>()
  let tools = 0
  let errors = 0

  const bodyOf = (lines: string[], fit: Fit) =>
    lines.map((line, i) => fit.cut(`${i === 0 ? `  ${colors.dim(marks.rest)}  ` : '     '}${line}`))

  function tool(event: Extract<AgentEvent, { type: 'tool' }>, fit: Fit): string[] {
    tools++
    const { name, summary } = nameTool(plainLine(event.name), plainLine(event.summary))
    const diff = event.diff ?? []
    calls.set(event.id, { name, hasDiff: diff.length > 0 })
    const head = `${colors.cyan(marks.tool)} ${colors.bold(name)}`
    const by = event.by === undefined ? '' : colors.dim(` by ${event.by}`)
    const line = summary === '' ? fit.cut(head + by) : fit.squeeze(`${head}(`, summary, `)${by}`)
    return [line, ...bodyOf(diffExcerpt(diff, bounds, style), fit)]
  }

  function toolResult(event: Extract<AgentEvent, { type: 'toolResult' }>, fit: Fit): string[] {
    if (!event.ok) errors++
    const call = calls.get(event.id)
    calls.delete(event.id)
    // Hooks tell that a call is over, and not what it gave.
    if (event.by === 'hooks') return []
    const what = `Result ← ${call?.name ?? 'tool'} (${sizeOf(event.output)})`
    if (event.ok && bounds.resultLines === undefined) {
      const first = call?.hasDiff ? '' : firstLineOf(event.output, bounds)
      return [fit.cut(colors.dim(`${marks.pass} ${what}${first === '' ? '' : ` ${marks.rest} ${first}`}`))]
    }
    const shown = { ...bounds, maxLines: bounds.resultLines ?? Math.min(bounds.maxLines, ERROR_LINES) }
    const body = bodyOf(excerpt(event.output, shown).map(colors.dim), fit)
    const mark = event.ok ? colors.dim(marks.pass) : colors.red(marks.fail)
    return [fit.cut(`${mark} ${colors.dim(what)}`), ...body]
  }

  function ended({ ok, usage, costUsd, estimated, error }: AgentEnded, ms: number, fit: Fit): string[] {
    const facts = [
      costUsd !== undefined && `cost: ${formatUsd(costUsd, estimated)}`,
      usage &&
        `tokens: ${formatCount(usage.input)} in (${formatCount(usage.cacheRead)} cached) / ${formatCount(usage.output)} out`,
      `tools: ${tools}`,
      `errors: ${errors}`,
      `time: ${formatDuration(ms)}`,
    ].filter(Boolean)
    if (ok) return fit.wrap(`${marks.pass} Complete (${facts.join(', ')})`, colors.dim, 2)
    const why = plainLine(error ?? 'no reason given')
    return fit.wrap(`${marks.error} Failed: ${why} (${facts.join(', ')})`, colors.red, 3)
  }

  function show(event: AgentEvent, at: number, fit: Fit): string[] {
    switch (event.type) {
      case 'started': {
        const { model, auth } = event
        const facts = [model && plainLine(model), auth && `paid by ${plainLine(auth)}`].filter(Boolean)
        return facts.length > 0 ? [fit.cut(colors.dim(facts.join(' · ')))] : []
      }
      case 'text': {
        const text = plain(event.text)
        // Looking for a line break is many times faster than splitting at it, and most texts of a long stream have none.
        return text.includes('\n') ? text.split('\n').flatMap(line => fit.wrap(line)) : fit.wrap(text)
      }
      case 'tool':
        return tool(event, fit)
      case 'toolResult':
        return toolResult(event, fit)
      case 'todo':
        return todoLines(event.items, style, fit)
      case 'retrying':
        return fit.wrap(`${marks.warn} ${plainLine(event.note)}`, colors.yellow, 3)
      case 'limited':
        return fit.wrap(`${marks.warn} limited: ${plainLine(event.note)}`, colors.yellow, 3)
      case 'background':
        return event.open > 0 ? [fit.cut(colors.dim(`${plural(event.open, 'task')} in the background`))] : []
      // The `ended` event that follows shows it.
      case 'unusable':
      case 'answered':
        return []
      case 'unparsed': {
        const line = plainLine(event.line)
        return line === '' ? [] : [fit.cut(colors.dim(line))]
      }
      case 'ended':
        return ended(event, at - (began ?? at), fit)
      default:
        return event satisfies never
    }
  }

  return (event, at, fit = WHOLE) => {
    began ??= at
    if (!('from' in event) || event.from === undefined) return show(event, at, fit)
    const bar = `${colors.dim('│')} `
    return show(event, at, narrowed(fit, 2)).map(line => bar + line)
  }
}
