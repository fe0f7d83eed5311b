import type { AgentEvent, Exit } from '../../core/events.ts'
import type { Parser } from '../../core/ports.ts'
import { asObject, cut, type Fields } from './fields.ts'

/** What is particular to one CLI's stream. */
type Reader = {
  /** What a message with a `type` means; null if it is not what its type promises. */
  read(message: Fields, type: string): AgentEvent[] | null
  /** Called only if no message ended the stream; must yield `ended` last. */
  end(exit: Exit): AgentEvent[]
}

const UNPARSED = 2000

/** A parser of one JSON object per line. Once a message has ended the stream, nothing that follows counts. */
export function jsonLines(reader: Reader): Parser {
  let ended = false
  const watch = (events: AgentEvent[]) => {
    ended = events.at(-1)?.type === 'ended'
    return events
  }
  return {
    line(line) {
      if (ended) return []
      const message = parseObject(line)
      const type = message?.type
      const events = message && typeof type === 'string' ? reader.read(message, type) : null
      if (events) return watch(events)
      return line.trim() === '' ? [] : [{ type: 'unparsed', line: cut(line, UNPARSED) }]
    },
    end: exit => (ended ? [] : watch(reader.end(exit))),
  }
}

function parseObject(line: string): Fields | null {
  const text = line.trimStart()
  // A failing JSON.parse is slow, and a CLI may print a lot that is not JSON.
  if (!text.startsWith('{')) return null
  try {
    return asObject(JSON.parse(text))
  } catch {
    return null
  }
}
