import type { RunEvent } from '../core/events.ts'
import { formatDuration, plural } from '../core/format.ts'
import type { StepId } from '../core/table.ts'
import { plainLine } from './plain.ts'
import type { RunLinesOptions } from './run-lines.ts'
import { cutTo } from './width.ts'

/** Shows what is under way in one line that is redrawn all the time. A fold over events, like `runLines`. */
export type LiveLine = {
  onEvent(event: RunEvent): void
  /** Whether there is something to show. */
  isBusy(): boolean
  /** The line at this moment, at most `columns` wide; '' if there is none. */
  line(now: number, columns: number): string
}

type Call = { n: number; agent: string; at: number; tools: number; doing: string }

const INDENT = '  '

/** How long one frame of the spinner is shown. */
export const FRAME_MS = 250

export function liveLine({
  style,
  streamAgent,
  limit,
  clock,
  key = null,
}: Pick<RunLinesOptions, 'style' | 'streamAgent' | 'limit' | 'clock' | 'key'>): LiveLine {
  const { colors, marks } = style
  const calls = new Map<StepId, Call>()
  let checks: { id: StepId | null; check: string; at: number }[] = []
  let wait: { until: number; why: string } | null = null

  const busyMark = (now: number) => marks.busy[Math.floor(now / FRAME_MS) % marks.busy.length]!

  function callPart({ n, agent, at, tools, doing }: Call, now: number): string {
    const facts = [
      `iteration ${n}${limit === null ? '' : ` of ${limit}`}`,
      agent,
      elapsed(now - at),
      tools > 0 && plural(tools, 'tool'),
      doing,
    ]
    return `${colors.cyan(busyMark(now))} ${facts.filter(Boolean).join(colors.dim(' · '))}`
  }

  return {
    onEvent(event) {
      switch (event.type) {
        case 'started':
          wait = null
          if (!streamAgent && event.agent !== null)
            calls.set(event.id, {
              n: event.n,
              agent: plainLine(event.agent),
              at: event.at,
              tools: 0,
              doing: '',
            })
          break
        case 'agent': {
          const call = calls.get(event.id)
          if (!call || event.event.type !== 'tool') break
          call.tools++
          call.doing = `${plainLine(event.event.name)}(${plainLine(event.event.summary)})`
          break
        }
        case 'ended':
          calls.delete(event.id)
          break
        case 'checking':
          checks.push(event)
          break
        case 'checked': {
          const index = checks.findIndex(c => c.id === event.id && c.check === event.finding.check)
          if (index >= 0) checks.splice(index, 1)
          break
        }
        case 'baseline':
          checks = []
          break
        case 'settled':
          calls.delete(event.id)
          checks = checks.filter(c => c.id !== event.id)
          break
        case 'waiting':
          wait = event
          break
        case 'control':
          wait = null
          break
        case 'asking':
        case 'stopped':
        case 'finished':
          calls.clear()
          checks = []
          wait = null
          break
      }
    },
    isBusy: () => calls.size > 0 || checks.length > 0 || wait !== null,
    line(now, columns) {
      const parts = [...calls.values()].map(call => callPart(call, now))
      for (const { check, at } of checks) {
        const time = ` · ${elapsed(now - at)}`
        const room = Math.max(columns - INDENT.length - 2 - time.length, 8)
        parts.push(colors.dim(`… ${cutTo(plainLine(check), room)}${time}`))
      }
      if (wait && parts.length === 0) {
        const left = `${elapsed(Math.max(wait.until - now, 0))} left`
        const facts = [`waiting until ${clock(wait.until)}`, left, key].filter(Boolean).join(' · ')
        parts.push(colors.yellow(`${facts} (${plainLine(wait.why)})`))
      }
      return parts.length === 0 ? '' : cutTo(`${INDENT}${parts.join('  ')}`, columns)
    },
  }
}

/** In whole seconds, because nobody can read tenths that change all the time. */
const elapsed = (ms: number) => {
  const seconds = Math.floor(ms / 1000)
  return seconds < 10 ? `${seconds}s` : formatDuration(seconds * 1000)
}
