import type { AgentEnded, AgentEvent, TodoItem } from '../core/events.ts'
import { firstLine, formatCount, formatDuration, formatUsd, plural } from '../core/format.ts'
import { type ToolNamer, toolNamer } from './doing.ts'
import type { Style } from './style.ts'
import { type Fit, fitTo, narrowed } from './text/fit.ts'
import { cutAt, plain, plainLine } from './text/plain.ts'

const WHOLE = fitTo(null)

/** How much of the output of a tool that failed is shown. */
const ERROR_LINES = 3

export type AgentLinesOptions = { style: Style; bounds: Bounds; nameTool?: ToolNamer }

/**
 * Turns the events of one iteration into lines, and matches tool results with their calls. Make a new one for each
 * iteration. `began`: when it began. Null if that is with its first event.
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
      const first = call?.hasDiff ? '' : plainLine(firstLine(event.output), bounds.maxChars)
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

/**
 * What a planner says beside its answer. The answer itself, a list of tasks in JSON or a refined goal in its tags, is
 * shown in a form for people once it was read.
 */
export function besideAnswer(text: string): string {
  return text
    .replace(/<refined>[\s\S]*(?:<\/refined>|$)/gi, '')
    .replace(/^ *```\w*\n\s*[[{][\s\S]*?(?:^ *```$|(?![\s\S]))/gm, '')
    .replace(/^[[{]\s*[[{"][\s\S]*[\]}]/m, '')
    .trim()
}

/** An agent's own to-do list, and its progress. What it calls completed, nobody has verified. */
function todoLines(items: readonly TodoItem[], { colors, marks }: Style, fit: Fit): string[] {
  const done = items.filter(item => item.status === 'completed').length
  const share = items.length === 0 ? 0 : Math.round((done / items.length) * 100)
  const rows = items.map(item => {
    const text = plainLine(item.content)
    if (item.status === 'completed') return fit.cut(colors.dim(`  ${marks.pass} ${text}`))
    return item.status === 'in_progress'
      ? fit.squeeze(`  ${marks.active} `, text, ' ← ACTIVE')
      : fit.cut(`  ${marks.pending} ${text}`)
  })
  const progress = `  ${marks.progress} Progress: ${done}/${items.length} (${share}%)`
  return [fit.cut(`${marks.todo} Todo List`), ...rows, fit.cut(progress)]
}

/** How much of a tool's output, or of an edit, is shown. */
export type Bounds = {
  maxLines: number
  maxChars: number
  /** How many lines of a tool's result. Absent for one, and for a few if it failed. */
  resultLines?: number
}

/** The first lines of an output, and how much is not shown. */
function excerpt(output: string, { maxLines, maxChars }: Bounds): string[] {
  const text = plain(cutAt(output, maxChars)).trimEnd()
  if (text === '') return []
  const shown = text.split('\n').slice(0, maxLines)
  const hidden = lineCount(output) - shown.length
  if (hidden > 0) shown.push(`… ${plural(hidden, 'more line')}`)
  else if (output.length > maxChars) shown.push(`… ${output.length - maxChars} more characters`)
  return shown
}

/** The first lines of an edit in their colours, and how many are not shown. */
function diffExcerpt(diff: readonly string[], { maxLines, maxChars }: Bounds, style: Style): string[] {
  const { colors } = style
  const shown: string[] = []
  let room = maxChars
  for (const line of diff) {
    if (shown.length === maxLines || room <= 0) break
    const text = plain(cutAt(line, room)).replaceAll('\n', ' ')
    room -= line.length
    if (text.startsWith('+')) shown.push(colors.green(text))
    else shown.push(text.startsWith('-') ? colors.red(text) : colors.dim(text))
  }
  const hidden = diff.length - shown.length
  return hidden > 0 ? [...shown, colors.dim(`… ${plural(hidden, 'more line')}`)] : shown
}

const sizeOf = (output: string): string =>
  output === '' ? 'no output' : `${plural(lineCount(output), 'line')}, ${output.length} chars`

function lineCount(text: string): number {
  let count = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}
