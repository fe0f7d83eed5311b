import type { AgentEvent, Exit } from '../../core/events.ts'
import type { Parser } from '../../core/ports.ts'
import { asObject, clip, type Fields } from './fields.ts'

/** How to read one CLI's stream. */
type Reader = {
  /** The events of a message, or null if it lacks what a message of its `type` should have. */
  read(message: Fields, type: string): AgentEvent[] | null
  /** Called only if no message ended the stream; must return `ended` last. */
  end(exit: Exit): AgentEvent[]
}

const MAX_UNPARSED = 2000

/** A parser of one JSON object per line. It ignores everything after the message that ends the stream. */
export function jsonLines(reader: Reader): Parser {
  let ended = false
  const noteEnd = (events: AgentEvent[]) => {
    ended = events.at(-1)?.type === 'ended'
    return events
  }
  return {
    line(line) {
      if (ended) return []
      const message = parseObject(line)
      const type = message?.type
      const events = message && typeof type === 'string' ? reader.read(message, type) : null
      if (events) return noteEnd(events)
      return line.trim() === '' ? [] : [{ type: 'unparsed', line: clip(line, MAX_UNPARSED) }]
    },
    end: exit => (ended ? [] : noteEnd(reader.end(exit))),
  }
}

/** The object in a line, or null. */
export function parseObject(line: string): Fields | null {
  const text = line.trimStart()
  // JSON.parse is slow when it fails, and a CLI may print much that is not JSON.
  if (!text.startsWith('{')) return null
  try {
    return asObject(JSON.parse(text))
  } catch {
    return null
  }
}
