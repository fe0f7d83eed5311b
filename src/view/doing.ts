import type { AgentEvent } from '../core/events.ts'
import { plural } from '../core/format.ts'
import { plainLine } from './text/plain.ts'
import type { ToolNamer } from './tool-call.ts'

/** What an agent does now, as its events tell. */
export type Doing = {
  see(event: AgentEvent): void
  /** The tool call that began last and is open, else what it does without one; '': it has not begun. */
  now(): string
}

export function followDoing(nameTool: ToolNamer): Doing {
  const tools = new Map<string, string>()
  let saying = ''
  return {
    see(event) {
      saying = sayingOf(event, saying)
      if (event.type === 'toolResult') tools.delete(event.id)
      if (event.type !== 'tool') return
      const { name, summary } = nameTool(plainLine(event.name), plainLine(event.summary))
      const by = event.by === undefined ? '' : ` by ${event.by}`
      tools.set(event.id, `${summary === '' ? name : `${name}(${summary})`}${by}`)
    },
    now: () => [...tools.values()].at(-1) ?? saying,
  }
}

/** What an agent does while none of its tools is open. */
function sayingOf(event: AgentEvent, before: string): string {
  switch (event.type) {
    case 'retrying':
      return `retrying: ${plainLine(event.note)}`
    case 'background':
      return event.open > 0 ? `waiting for ${plural(event.open, 'task')} in the background` : 'thinking'
    case 'answered':
    case 'ended':
      return 'ending'
    case 'unparsed':
      return before
    default:
      return 'thinking'
  }
}
