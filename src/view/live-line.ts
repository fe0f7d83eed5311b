import type { RunEvent } from '../core/events.ts'
import { formatCount, formatDuration, formatUsd } from '../core/format.ts'
import type { StepId } from '../core/table.ts'
import { type Doing, followDoing } from './doing.ts'
import { KEY_HINTS } from './keys.ts'
import type { RunLinesOptions } from './run-lines.ts'
import { plainLine } from './text/plain.ts'
import { cutPathTo, cutTo, widthOf } from './text/width.ts'
import { elapsedText } from './time.ts'
import { toolNamer } from './tool-call.ts'

/** Shows what is under way in one line that is redrawn all the time. A fold over events, like `runLines`. */
export type LiveLine = {
  onEvent(event: RunEvent): void
  /** Whether there is something to show. */
  isBusy(): boolean
  /** The line at this moment, at most `columns` wide; '' if there is none. */
  line(now: number, columns: number): string
}

export type LiveLineOptions = Pick<
  RunLinesOptions,
  'style' | 'limit' | 'clock' | 'project' | 'hasKeys' | 'state'
>

/** The agent of a step. */
type Call = { n: number; agent: string; at: number; doing: Doing }

const INDENT = '  '

/** How long one frame of the spinner is shown. */
export const FRAME_MS = 250

/** What is done would say nothing in less. */
const LEAST_DOING = 12

export function liveLine({
  style,
  limit: limitAtStart,
  clock,
  project = null,
  hasKeys = false,
  state = () => null,
}: LiveLineOptions): LiveLine {
  const { colors, marks } = style
  const nameTool = toolNamer(project)
  const calls = new Map<StepId, Call>()
  let checks: { id: StepId | null; check: string; at: number }[] = []
  let limit = limitAtStart
  let wait: { until: number; why: string } | null = null
  /** Since when a person wants it to pause; null: they do not. */
  let paused: number | null = null
  /** What ralph itself does between the agents and the checks; null: the run has not begun, is over, or asks. */
  let own: { what: string; at: number } | null = null
  let began = 0

  /** What is under way: before it, the thing itself, which may be cut, and after it. */
  function underWay(now: number): [before: string, doing: string, after: string] {
    const [call, ...others] = [...calls.values()]
    const [check] = checks
    const more = others.length + checks.length - (call ? 0 : 1)
    const andMore = more > 0 ? ` and ${more} more` : ''
    if (call) {
      const n = `iteration ${call.n}${limit === null ? '' : ` of ${limit}`}`
      const doing = call.doing.now() || `starting ${call.agent}`
      const pausing = paused === null ? '' : ', then a pause'
      return [`${n} · ${elapsedText(now - call.at)} · `, doing, andMore + pausing]
    }
    if (check) return ['check ', plainLine(check.check), `${andMore} · ${elapsedText(now - check.at)}`]
    return ['', own?.what ?? '', ` · ${elapsedText(now - (own?.at ?? now))}`]
  }

  /** From what matters most to what may be left out. */
  function facts(now: number): string[] {
    const { spent, limits } = state() ?? { spent: { usd: 0, tokens: 0 }, limits: null }
    const of = (limit: string | null) => (limit === null ? '' : ` of ${limit}`)
    return [
      (spent.usd > 0 || limits?.usd != null) && formatUsd(spent.usd) + of(limits && usdOf(limits.usd)),
      limits?.ms != null && `${elapsedText(now - began)} of ${formatDuration(limits.ms)}`,
      (spent.tokens > 0 || limits?.tokens != null) &&
        `${formatCount(spent.tokens)}${of(limits && countOf(limits.tokens))} tokens`,
      hasKeys && KEY_HINTS.any,
    ].filter(fact => fact !== false)
  }

  function workLine(now: number, columns: number): string {
    const [before, doing, after] = underWay(now)
    const mark = marks.busy[Math.floor(now / FRAME_MS) % marks.busy.length]!
    const room = columns - INDENT.length - widthOf(mark) - 1 - widthOf(before) - widthOf(after)
    const tail = facts(now)
    const least = Math.min(LEAST_DOING, widthOf(doing))
    while (tail.length > 0 && room - tailWidth(tail) < least)
      tail.splice(tail.length > 1 ? tail.length - 2 : 0, 1)
    const shown = cutPathTo(doing, Math.max(room - tailWidth(tail), least))
    const dimmed = tail.map(fact => colors.dim(` · ${fact}`)).join('')
    return `${INDENT}${colors.cyan(mark)} ${before}${colors.bold(shown)}${after}${dimmed}`
  }

  const isWorking = () => calls.size > 0 || checks.length > 0

  return {
    onEvent(event) {
      const { at } = event
      switch (event.type) {
        case 'began':
        case 'resumed':
          began = at
          own = { what: 'getting ready', at }
          break
        case 'limits':
          limit = event.limits.iterations
          break
        case 'started':
          wait = null
          own = { what: 'working', at }
          if (event.agent !== null)
            calls.set(event.id, {
              n: event.n,
              agent: plainLine(event.agent),
              at,
              doing: followDoing(nameTool),
            })
          break
        case 'agent':
          calls.get(event.id)?.doing.see(event.event)
          break
        case 'ended':
          calls.delete(event.id)
          own = { what: 'looking at what changed', at }
          break
        case 'checking':
          checks.push(event)
          break
        case 'checked': {
          const index = checks.findIndex(c => c.id === event.id && c.check === event.finding.check)
          if (index >= 0) checks.splice(index, 1)
          own = { what: 'finishing the iteration', at }
          break
        }
        case 'baseline':
          checks = []
          own = { what: 'getting ready', at }
          break
        case 'committing':
          own = { what: 'committing', at }
          break
        case 'settled':
          calls.delete(event.id)
          checks = checks.filter(c => c.id !== event.id)
          own = { what: 'finishing the iteration', at }
          break
        case 'applied':
          own = { what: 'getting ready', at }
          break
        case 'waiting':
          wait = event
          break
        case 'control':
          wait = null
          paused = event.hold === 'pause' ? at : null
          break
        case 'asking':
        case 'stopped':
        case 'finished':
          calls.clear()
          checks = []
          wait = null
          own = null
          break
      }
    },
    isBusy: () => own !== null || isWorking() || wait !== null,
    line(now, columns) {
      if (!isWorking()) {
        if (wait) return waitLine(wait, now, columns)
        if (paused !== null && own) return pausedLine(paused, now, columns)
        if (!own) return ''
      }
      return cutTo(workLine(now, columns), columns)
    },
  }

  function waitLine({ until, why }: { until: number; why: string }, now: number, columns: number): string {
    const left = `${elapsedText(until - now)} left`
    const shown = [`waiting until ${clock(until)}`, left, hasKeys && KEY_HINTS.waiting]
      .filter(Boolean)
      .join(' · ')
    const text = `${INDENT}${colors.yellow(`${shown} (${plainLine(why)})`)}`
    return withFacts(text, now, columns)
  }

  function pausedLine(since: number, now: number, columns: number): string {
    const shown = ['paused', elapsedText(now - since), hasKeys ? KEY_HINTS.paused : 'to go on: ralph resume']
    return withFacts(`${INDENT}${colors.yellow(shown.join(' · '))}`, now, columns)
  }

  function withFacts(text: string, now: number, columns: number): string {
    const tail = facts(now)
    while (tail.length > 0 && widthOf(text) + tailWidth(tail) > columns) tail.pop()
    return cutTo(text + tail.map(fact => colors.dim(` · ${fact}`)).join(''), columns)
  }
}

const tailWidth = (tail: readonly string[]): number => tail.reduce((sum, fact) => sum + widthOf(fact) + 3, 0)

const usdOf = (usd: number | null): string | null => (usd === null ? null : formatUsd(usd))
const countOf = (count: number | null): string | null => (count === null ? null : formatCount(count))
