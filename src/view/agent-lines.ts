import type { AgentEvent, TodoItem } from '../core/events.ts'
import { plural, spellCount, spellDuration, spellUsd } from '../core/spell.ts'
import { plain, plainLine } from './plain.ts'
import type { Style } from './style.ts'

/** How much of a tool's output is shown. */
export type Bounds = { maxLines: number; maxChars: number }

/** Turns one iteration's events into lines, tool results matched with their calls. Fresh per iteration. */
export function agentLines(style: Style, bounds: Bounds): (event: AgentEvent, at: number) => string[] {
  const { colors, marks } = style
  const names = new Map<string, string>()
  let began: number | null = null
  let tools = 0
  let errors = 0
  const setApart = (from: 'subagent' | undefined, lines: string[]) =>
    from ? lines.map(line => `${colors.dim('│')} ${line}`) : lines

  return (event, at) => {
    began ??= at
    switch (event.type) {
      case 'started': {
        const facts = [event.model, event.auth && `paid by ${event.auth}`].filter(fact => fact !== undefined)
        return facts.length > 0 ? [colors.dim(plainLine(facts.join(' · ')))] : []
      }
      case 'text':
        return setApart(event.from, plain(event.text).split('\n'))
      case 'tool': {
        tools++
        const name = plainLine(event.name)
        names.set(event.id, name)
        return setApart(event.from, [
          `${colors.cyan(marks.tool)} ${colors.bold(name)}(${plainLine(event.summary)})`,
        ])
      }
      case 'toolResult': {
        if (!event.ok) errors++
        const name = names.get(event.id) ?? 'tool'
        names.delete(event.id)
        const head = `${event.ok ? marks.ok : marks.error} Result ← ${name} (${sizeOf(event.output)})`
        const body = excerpt(event.output, bounds).map((line, i) =>
          colors.dim(`${i === 0 ? `  ${marks.rest}  ` : '     '}${line}`),
        )
        return setApart(event.from, [event.ok ? head : colors.red(head), ...body])
      }
      case 'todo':
        return todoLines(event.items, style)
      case 'retrying':
        return [colors.yellow(`${marks.warn} ${plainLine(event.note)}`)]
      case 'limited':
        return [colors.yellow(`${marks.warn} limited: ${plainLine(event.note)}`)]
      case 'unparsed': {
        const line = plainLine(event.line)
        return line === '' ? [] : [colors.dim(line)]
      }
      case 'ended': {
        const { usage, costUsd } = event
        const facts = [
          costUsd !== undefined && `cost: ${spellUsd(costUsd)}`,
          usage &&
            `tokens: ${spellCount(usage.input)} in (${spellCount(usage.cacheRead)} cached) / ${spellCount(usage.output)} out`,
          `tools: ${tools}`,
          `errors: ${errors}`,
          `time: ${spellDuration(at - began)}`,
        ].filter(Boolean)
        if (event.ok) return [`${marks.ok} Complete (${facts.join(', ')})`]
        return [
          colors.red(
            `${marks.error} Failed: ${plainLine(event.error ?? 'no reason given')} (${facts.join(', ')})`,
          ),
        ]
      }
      default:
        return event satisfies never
    }
  }
}

function todoLines(items: TodoItem[], { marks }: Style): string[] {
  const done = items.filter(item => item.status === 'completed').length
  const share = items.length === 0 ? 0 : Math.round((done / items.length) * 100)
  const rows = items.map(item => {
    const text = plainLine(item.content)
    if (item.status === 'completed') return `  ${marks.ok} ${text}`
    return item.status === 'in_progress' ? `  ${marks.active} ${text} ← ACTIVE` : `  ${marks.pending} ${text}`
  })
  return [
    `${marks.todo} Todo List`,
    ...rows,
    `  ${marks.progress} Progress: ${done}/${items.length} (${share}%)`,
  ]
}

const sizeOf = (output: string) =>
  output === '' ? 'no output' : `${plural(lineCount(output), 'line')}, ${output.length} chars`

function lineCount(text: string): number {
  let count = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** The first lines of an output, and how much is not shown. */
function excerpt(output: string, { maxLines, maxChars }: Bounds): string[] {
  const text = plain(output.slice(0, maxChars)).trimEnd()
  if (text === '') return []
  const shown = text.split('\n').slice(0, maxLines)
  const left = lineCount(output) - shown.length
  if (left > 0) shown.push(`… ${plural(left, 'more line')}`)
  else if (output.length > maxChars) shown.push(`… ${output.length - maxChars} more characters`)
  return shown
}
