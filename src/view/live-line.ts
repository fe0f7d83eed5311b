import type { RunEvent } from '../core/events.ts'
import { formatCount, formatDuration, formatUsd } from '../core/format.ts'
import type { StepId } from '../core/table.ts'
import { type Doing, followDoing, type ToolNamer, toolNamer } from './doing.ts'
import { KEY_HINTS } from './keys.ts'
import type { RunLinesOptions } from './run-lines.ts'
import { plainLine } from './text/plain.ts'
import { cutPathTo, cutTo, widthOf } from './text/width.ts'
import { elapsedText } from './time.ts'

/** Shows what is under way in one line that is redrawn all the time. A fold over events, like `runLines`. */
export type LiveLine = {
  onEvent(event: RunEvent): void
  /** Whether there is something to show. */
  isBusy(): boolean
  /** The line at this moment, at most `columns` wide. Empty if there is none. */
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

/** What `liveLine` knows of the run at the moment. */
type Moment = {
  readonly options: LiveLineOptions
  readonly nameTool: ToolNamer
  readonly calls: Map<StepId, Call>
  checks: { id: StepId | null; check: string; at: number }[]
  limit: number | null
  wait: { until: number; why: string } | null
  /** Since when a person wants it to pause. Null if they do not. */
  paused: number | null
  /** What ralph itself does between the agents and the checks. Null if the run has not begun, is over, or asks. */
  own: { what: string; at: number } | null
  began: number
}

export function liveLine(options: LiveLineOptions): LiveLine {
  const run: Moment = {
    options,
    nameTool: toolNamer(options.project ?? null),
    calls: new Map(),
    checks: [],
    limit: options.limit,
    wait: null,
    paused: null,
    own: null,
    began: 0,
  }
  return {
    onEvent: event => follow(run, event),
    isBusy: () => run.own !== null || isWorking(run) || run.wait !== null,
    line(now, columns) {
      const { own, wait, paused } = run
      if (!isWorking(run)) {
        if (wait) return waitLine(run, wait, now, columns)
        if (paused !== null && own) return pausedLine(run, paused, now, columns)
        if (!own) return ''
      }
      return cutTo(workLine(run, now, columns), columns)
    },
  }
}

const isWorking = ({ calls, checks }: Moment): boolean => calls.size > 0 || checks.length > 0

function follow(run: Moment, event: RunEvent): void {
  const { calls } = run
  const { at } = event
  switch (event.type) {
    case 'began':
    case 'resumed':
      run.began = at
      run.own = { what: 'getting ready', at }
      break
    case 'limits':
      run.limit = event.limits.iterations
      break
    case 'started':
      run.wait = null
      run.own = { what: 'working', at }
      if (event.agent !== null) {
        const doing = followDoing(run.nameTool)
        calls.set(event.id, { n: event.n, agent: plainLine(event.agent), at, doing })
      }
      break
    case 'agent':
      calls.get(event.id)?.doing.see(event.event)
      break
    case 'ended':
      calls.delete(event.id)
      run.own = { what: 'looking at what changed', at }
      break
    case 'checking':
      run.checks.push(event)
      break
    case 'checked': {
      const index = run.checks.findIndex(c => c.id === event.id && c.check === event.finding.check)
      if (index >= 0) run.checks.splice(index, 1)
      run.own = { what: 'finishing the iteration', at }
      break
    }
    case 'baseline':
      run.checks = []
      run.own = { what: 'getting ready', at }
      break
    case 'committing':
      run.own = { what: 'committing', at }
      break
    case 'settled':
      calls.delete(event.id)
      run.checks = run.checks.filter(c => c.id !== event.id)
      run.own = { what: 'finishing the iteration', at }
      break
    case 'applied':
      run.own = { what: 'getting ready', at }
      break
    case 'waiting':
      run.wait = event
      break
    case 'control':
      run.wait = null
      run.paused = event.hold === 'pause' ? at : null
      break
    case 'asking':
    case 'stopped':
    case 'finished':
      calls.clear()
      Object.assign(run, { checks: [], wait: null, own: null })
      break
  }
}

function workLine(run: Moment, now: number, columns: number): string {
  const { colors, marks } = run.options.style
  const [before, doing, after] = underWay(run, now)
  const mark = marks.busy[Math.floor(now / FRAME_MS) % marks.busy.length]!
  const room = columns - INDENT.length - widthOf(mark) - 1 - widthOf(before) - widthOf(after)
  const tail = facts(run, now)
  const least = Math.min(LEAST_DOING, widthOf(doing))
  while (tail.length > 0 && room - tailWidth(tail) < least)
    tail.splice(tail.length > 1 ? tail.length - 2 : 0, 1)
  const shown = cutPathTo(doing, Math.max(room - tailWidth(tail), least))
  const dimmed = tail.map(fact => colors.dim(` · ${fact}`)).join('')
  return `${INDENT}${colors.cyan(mark)} ${before}${colors.bold(shown)}${after}${dimmed}`
}

/** What is under way: before it, the thing itself, which may be cut, and after it. */
function underWay(run: Moment, now: number): [before: string, doing: string, after: string] {
  const { limit, own, checks } = run
  const [call, ...others] = [...run.calls.values()]
  const [check] = checks
  const more = others.length + checks.length - (call ? 0 : 1)
  const andMore = more > 0 ? ` and ${more} more` : ''
  if (call) {
    const n = `iteration ${call.n}${limit === null ? '' : ` of ${limit}`}`
    const doing = call.doing.now() || `starting ${call.agent}`
    const pausing = run.paused === null ? '' : ', then a pause'
    return [`${n} · ${elapsedText(now - call.at)} · `, doing, andMore + pausing]
  }
  if (check) return ['check ', plainLine(check.check), `${andMore} · ${elapsedText(now - check.at)}`]
  return ['', own?.what ?? '', ` · ${elapsedText(now - (own?.at ?? now))}`]
}

/** From what matters most to what may be left out. */
function facts({ options, began }: Moment, now: number): string[] {
  const { spent, limits } = options.state?.() ?? { spent: { usd: 0, tokens: 0 }, limits: null }
  const of = (limit: number | null | undefined, format: (limit: number) => string) =>
    limit == null ? '' : ` of ${format(limit)}`
  return [
    (spent.usd > 0 || limits?.usd != null) && formatUsd(spent.usd) + of(limits?.usd, formatUsd),
    limits?.ms != null && `${elapsedText(now - began)} of ${formatDuration(limits.ms)}`,
    (spent.tokens > 0 || limits?.tokens != null) &&
      `${formatCount(spent.tokens)}${of(limits?.tokens, formatCount)} tokens`,
    options.hasKeys === true && KEY_HINTS.any,
  ].filter(fact => fact !== false)
}

function waitLine(
  run: Moment,
  { until, why }: { until: number; why: string },
  now: number,
  columns: number,
): string {
  const { style, clock, hasKeys } = run.options
  const left = `${elapsedText(until - now)} left`
  const shown = [`waiting until ${clock(until)}`, left, hasKeys && KEY_HINTS.waiting]
    .filter(Boolean)
    .join(' · ')
  const text = `${INDENT}${style.colors.yellow(`${shown} (${plainLine(why)})`)}`
  return withFacts(run, text, now, columns)
}

function pausedLine(run: Moment, since: number, now: number, columns: number): string {
  const { style, hasKeys } = run.options
  const shown = ['paused', elapsedText(now - since), hasKeys ? KEY_HINTS.paused : 'to go on: ralph resume']
  return withFacts(run, `${INDENT}${style.colors.yellow(shown.join(' · '))}`, now, columns)
}

function withFacts(run: Moment, text: string, now: number, columns: number): string {
  const tail = facts(run, now)
  while (tail.length > 0 && widthOf(text) + tailWidth(tail) > columns) tail.pop()
  return cutTo(text + tail.map(fact => run.options.style.colors.dim(` · ${fact}`)).join(''), columns)
}

const tailWidth = (tail: readonly string[]): number => tail.reduce((sum, fact) => sum + widthOf(fact) + 3, 0)
