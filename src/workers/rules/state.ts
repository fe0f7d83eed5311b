import type { RunEvent } from '../../core/events.ts'
import { isObject, jsonIn } from '../../core/json.ts'

/** `state.json` of a worker. */
export type WorkerState = {
  worker_name: string
  /** The absolute path of the prompt file. Null if the prompt is no file. */
  prompt_file: string | null
  max_iterations: number | null
  current_iteration: number
  status: 'running' | 'paused' | 'stopped' | 'failed'
  started: string
  last_iteration_started: string | null
  consecutive_failures: number
  total_failures: number
  done_pattern: string | null
  /** In seconds: how long an agent may be silent, or its screen unchanged. */
  inactivity_timeout: number
}

/** What the journal does not say. */
export type WorkerFacts = Pick<
  WorkerState,
  'worker_name' | 'prompt_file' | 'done_pattern' | 'inactivity_timeout'
>

export const firstState = (facts: WorkerFacts, maxIterations: number | null, at: number): WorkerState => ({
  worker_name: facts.worker_name,
  prompt_file: facts.prompt_file,
  max_iterations: maxIterations,
  current_iteration: 0,
  status: 'running',
  started: time(at),
  last_iteration_started: null,
  consecutive_failures: 0,
  total_failures: 0,
  done_pattern: facts.done_pattern,
  inactivity_timeout: facts.inactivity_timeout,
})

/** The state after one more event of the journal. */
export function evolveState(state: WorkerState, event: RunEvent): WorkerState {
  switch (event.type) {
    case 'began':
      return { ...state, started: time(event.at), max_iterations: event.limits.iterations, status: 'running' }
    case 'resumed':
      return {
        ...state,
        max_iterations: event.limits.iterations,
        status: 'running',
        consecutive_failures: 0,
      }
    case 'limits':
      return { ...state, max_iterations: event.limits.iterations }
    case 'started':
      return { ...state, current_iteration: event.n, last_iteration_started: time(event.at) }
    case 'settled':
      return {
        ...state,
        consecutive_failures: event.patch.failures ?? state.consecutive_failures,
        total_failures: state.total_failures + (FAILURES.includes(event.end) ? 1 : 0),
      }
    case 'control':
      return { ...state, status: event.hold === 'pause' ? 'paused' : 'running' }
    case 'stopped':
      return { ...state, status: event.why === INTERRUPTED ? 'paused' : 'failed' }
    case 'finished':
      return { ...state, status: ENDED_WELL.includes(event.result) ? 'stopped' : 'failed' }
    default:
      return state
  }
}

/** Why the engine stopped, if somebody asked it to. */
const INTERRUPTED = 'interrupted'

const FAILURES: readonly string[] = ['error', 'timeout', 'empty']

const ENDED_WELL: readonly string[] = ['complete', 'exhausted', 'cancelled']

const time = (at: number) => new Date(at).toISOString()

/** What a person may have written into the file. `error`: it is not a state at all. */
export function readEdit(text: string): { maxIterations: number | null | undefined } | { error: string } {
  const value = jsonIn(text)
  if (!isObject(value)) return { error: 'it is not JSON' }
  const { max_iterations: wanted, worker_name: name } = value
  if (typeof name !== 'string') return { error: 'worker_name is missing' }
  if (wanted === undefined) return { maxIterations: undefined }
  if (wanted === null || (Number.isSafeInteger(wanted) && (wanted as number) >= 1))
    return { maxIterations: wanted as number | null }
  return { error: 'max_iterations must be a whole number of at least 1' }
}
