import type { RunEvent } from '../core/events.ts'
import { formatDuration, plural } from '../core/format.ts'
import type { StepId } from '../core/table.ts'
import { plainLine } from './plain.ts'
import type { Shown } from './run-lines.ts'
import { cutTo } from './width.ts'

/** What is under way, for one line that is drawn again and again. A fold, like the lines. */
export type LiveLine = {
  hear(event: RunEvent): void
  /** Whether there is something to show. */
  isBusy(): boolean
  /** The line at this moment, in at most so many columns; '' if there is none. */
  line(now: number, columns: number): string
}

type Call = { n: number; agent: string; at: number; tools: number; doing: string }

const INDENT = '  '

/** How long one of the turning marks stands. */
export const BEAT_MS = 250

export function liveLine({
  style,
  streamAgent,
  limit,
  clock,
  key = null,
}: Pick<Shown, 'style' | 'streamAgent' | 'limit' | 'clock' | 'key'>): LiveLine {
  const { colors, marks } = style
  const calls = new Map<StepId, Call>()
  let checks: { id: StepId | null; check: string; at: number }[] = []
  let wait: { until: number; why: string } | null = null

  const busyMark = (now: number) => marks.busy[Math.floor(now / BEAT_MS) % marks.busy.length]!

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
    hear(event) {
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
          const place = checks.findIndex(c => c.id === event.id && c.check === event.finding.check)
          if (place >= 0) checks.splice(place, 1)
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

/** In whole seconds: tenths that flicker by tell nobody anything. */
const elapsed = (ms: number) => {
  const seconds = Math.floor(ms / 1000)
  return seconds < 10 ? `${seconds}s` : formatDuration(seconds * 1000)
}
