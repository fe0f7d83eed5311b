import type { Usage } from '../../core/events.ts'
import type { Parser } from '../../core/ports.ts'
import { claudeParser, type Meter } from '../claude/stream.ts'
import { asCount, asObject, type Fields } from '../shared/fields.ts'
import { troubleOf } from '../shared/trouble.ts'
import { addUsage } from '../shared/usage.ts'

/** Reads `amp --stream-json`: claude's stream, except for how it counts tokens. */
export const ampParser = (): Parser => noticeLogin(claudeParser(meter()))

/** Without a key amp waits for somebody to log in, in any mode. */
export const noticeLogin = (parser: Parser): Parser => ({
  line(line) {
    const events = parser.line(line)
    return troubleOf(line) === 'unusable' ? [...events, { type: 'unusable', note: line }] : events
  },
  end: parser.end,
})

/** The result may have no usage. Then the usage of all messages is added up. */
function meter(): Meter {
  let counted: Usage | undefined
  return {
    count(message) {
      const usage = usageOf(asObject(asObject(message.message)?.usage))
      if (usage) counted = addUsage(counted, usage)
    },
    total(result) {
      const sinceLast = counted
      counted = undefined
      return usageOf(asObject(result.usage)) ?? sinceLast
    },
  }
}

/** Unlike claude's, its input already includes cache reads and writes. */
function usageOf(usage: Fields | null): Usage | undefined {
  if (!usage) return undefined
  const cacheRead = asCount(usage.cache_read_input_tokens)
  const cacheWrite = asCount(usage.cache_creation_input_tokens)
  const input = Math.max(asCount(usage.input_tokens), cacheRead + cacheWrite)
  return { input, output: asCount(usage.output_tokens), cacheRead, cacheWrite }
}
