import type { AgentEnding, RunEvent, Settled } from '../../core/events.ts'
import { firstLine, plural } from '../../core/format.ts'
import type { StepId } from '../../core/table.ts'

/** What a worker says about its loop: lines for people, and lines of iterations.log. */
export type LoopLines = { said: string[]; logged: string[] }

const NOTHING: LoopLines = { said: [], logged: [] }

/** `done pattern matched` is said of a run that has no other condition. */
export type WorkerLoop = { name: string; inactivityTimeout: number; byPattern: boolean }

/** The lines of a worker's loop, event by event: a fold, so a resumed worker goes on as it began. */
export function loopLines({
  name,
  inactivityTimeout,
  byPattern,
}: WorkerLoop): (event: RunEvent) => LoopLines {
  const steps = new Map<StepId, { n: number; ended?: AgentEnding }>()
  let limit: number | null = null
  let mostFailures = 0
  let counted = 0
  const say = (...texts: string[]) => texts.map(text => `[ralph] ${name}: ${text}`)
  const of = () => (limit === null ? '' : `/${limit}`)

  function settled({ id, at, end, note, patch }: Settled): LoopLines {
    const { n = 0, ended } = steps.get(id) ?? {}
    steps.delete(id)
    counted = patch.n ?? counted
    // On a screen it is judged like an agent that ended well.
    if (ended?.how === 'inactive') {
      const text = `inactivity timeout (${inactivityTimeout}s), restarting`
      return { said: say(text), logged: [`[FAIL] iteration ${n} inactivity timeout`] }
    }
    if (end === 'ok') return NOTHING
    const why = `${end}: ${firstLine(note)}`
    const attempt = patch.failures
    if (attempt === undefined || attempt === 0)
      return { said: say(`iteration ${n} ${why}`), logged: [`[FAIL] iteration ${n} ${why}`] }
    const exit = exitOf(ended)
    const tries = `attempt ${attempt}/${mostFailures}`
    const failed = `iteration ${n} failed (${end === 'timeout' ? 'timeout' : `exit: ${exit}`})`
    if (attempt >= mostFailures)
      return { said: say(failed), logged: [`[FAIL] iteration ${n} exit=${exit} ${tries}`] }
    const wait = Math.round(Math.max((patch.notBefore ?? at) - at, 0) / 1000)
    return {
      said: say(`${failed}, retrying in ${wait}s (${tries})`),
      logged: [`[FAIL] iteration ${n} exit=${exit} ${tries} retry=${wait}s`],
    }
  }

  function finished(event: Extract<RunEvent, { type: 'finished' }>): LoopLines {
    const after = `after ${plural(counted, 'iteration')}`
    switch (event.result) {
      case 'complete':
      case 'exhausted': {
        const matched =
          byPattern && event.result === 'complete' ? say('done pattern matched, stopping loop') : []
        const text = `loop complete ${after}`
        return { said: [...matched, ...say(text)], logged: [`[DONE] ${text}`] }
      }
      case 'cancelled':
        return {
          said: say(`loop ended on request ${after}`),
          logged: [`[STOP] loop ended on request ${after}`],
        }
      default:
        return { said: say(event.why), logged: [`[FAIL] loop stopped ${after}: ${event.why}`] }
    }
  }

  return event => {
    switch (event.type) {
      case 'began':
      case 'resumed':
      case 'limits':
        limit = event.limits.iterations
        mostFailures = event.limits.failures
        if (event.type === 'limits') return { said: say(`max iterations is now ${limit}`), logged: [] }
        return event.type === 'resumed' ? { said: say('resumed'), logged: ['[RESUME]'] } : NOTHING
      case 'started':
        steps.set(event.id, { n: event.n })
        return {
          said: say(`starting iteration ${event.n}${of()}`),
          logged: [`[START] iteration ${event.n}${of()}`],
        }
      case 'ended': {
        const { n } = steps.get(event.id) ?? { n: 0 }
        steps.set(event.id, { n, ended: event })
        const exit = exitOf(event)
        const isWell = event.result.ok && event.how === 'exited'
        return {
          said: isWell
            ? say(`iteration ${n} completed (exit: ${exit}, duration: ${duration(event.ms, ' ')})`)
            : [],
          logged: [`[END] iteration ${n} exit=${exit} duration=${duration(event.ms)}`],
        }
      }
      case 'settled':
        return settled(event)
      case 'control':
        if (event.hold === 'stop') return NOTHING
        return event.hold === 'pause'
          ? { said: say('paused'), logged: ['[PAUSE]'] }
          : { said: say('resumed'), logged: ['[RESUME]'] }
      case 'stopped':
        return { said: say(`stopped: ${event.why}`), logged: [`[STOP] ${event.why}`] }
      case 'finished':
        return finished(event)
      default:
        return NOTHING
    }
  }
}

const exitOf = (ended: AgentEnding | undefined): string =>
  ended === undefined ? '?' : String(ended.exit.signal ?? ended.exit.code)

/** 3m42s, or with a gap: 3m 42s. */
function duration(ms: number, gap = ''): string {
  const seconds = Math.round(ms / 1000)
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const
  // -1, where nothing counts: the seconds alone.
  const from = parts.findIndex(([count]) => count > 0)
  const shown = parts.slice(from)
  return shown.map(part => part.join('')).join(gap)
}

/**
 * What a view log has about one iteration: from the line that begins it to the one that begins another. Null if it has
 * nothing.
 */
export function partOf(text: string, name: string, n: number): string | null {
  const start = new RegExp(`^.*\\[ralph\\] ${name}: starting iteration (\\d+)`, 'gm')
  const starts = [...text.matchAll(start)].map(found => ({ n: Number(found[1]), at: found.index }))
  const from = starts.findLastIndex(found => found.n === n)
  if (from < 0) return null
  return `${text.slice(starts[from]!.at, starts[from + 1]?.at).trimEnd()}\n`
}
