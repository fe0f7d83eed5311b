import type { Finding, Outcome, RunEvent, Settled } from '../../src/core/events.ts'
import type { Limits, Move, TaskState } from '../../src/core/table.ts'

export const MINUTE = 60_000

const LIMITS: Limits = {
  iterations: 10,
  failures: 5,
  crashes: 3,
  stuck: 3,
  empties: 2,
  limitWaitMs: 0,
  usd: null,
  tokens: null,
  ms: null,
  additions: 200,
}

export const taskState = (stage: string, why = ''): TaskState => ({
  stage,
  tries: 0,
  rounds: 0,
  bugs: 0,
  crashes: 0,
  interrupted: false,
  stuck: 0,
  visits: {},
  lastRed: [],
  proof: false,
  why,
})

export const green = (check = 'npm test'): Finding => ({ check, verdict: 'pass', note: '' })
export const doubt: Finding = { ...green('tests'), doubts: ['a.test.js was deleted', 'b.test.js <skips>'] }
export const red = (check = 'npm test'): Finding => ({
  check,
  verdict: 'fail',
  note: `Guardrail "${check}" failed with exit code 1.\nOutput:\nmore`,
  log: 'a.log',
})

export type IterationOptions = {
  end?: Outcome['end']
  move?: Move | null
  note?: string
  findings?: Finding[]
  task?: string
  stage?: string
  agent?: string | null
  usd?: number
  tokens?: [input: number, cached: number, output: number]
  /** How long the agent works, and the checks after it. */
  ms?: number
  /** The state of its task afterwards. */
  to?: TaskState
  pauses?: boolean
  /** What casts doubt on the checks of the run from here on. */
  doubts?: Finding[]
}

/** Writes a journal by hand, with a clock of its own. */
export function journal(options: { limits?: Partial<Limits>; tasks?: [id: string, title: string][] } = {}) {
  const limits = { ...LIMITS, ...options.limits }
  const tasks = (options.tasks ?? [['prompt', 'the prompt']]).map(([id, title]) => ({
    id,
    title,
    blockedBy: [],
  }))
  const began = Date.UTC(2026, 2, 1, 22, 15, 30)
  const events: RunEvent[] = [
    {
      type: 'began',
      at: began,
      up: began,
      v: 2,
      id: '20260301-221530-k3f',
      project: '/home/me/shop',
      workflow: options.tasks ? 'build' : 'run',
      limits,
      tasks,
      pins: {},
    },
  ]
  let now = began
  let id = 0
  let n = 0
  const pen = {
    events,
    later(ms: number) {
      now += ms
      return pen
    },
    add(event: { [T in RunEvent as T['type']]: Omit<T, 'at'> }[RunEvent['type']]) {
      events.push({ ...event, at: now, up: now } as RunEvent)
      return pen
    },
    start({ task = 'prompt', stage = 'work', agent = 'claude' }: IterationOptions = {}) {
      id++
      return pen.add({ type: 'started', id, task, stage, agent, n: n + 1 })
    },
    end({ usd, tokens, ms = MINUTE }: IterationOptions = {}) {
      const [input = 0, cacheRead = 0, output = 0] = tokens ?? []
      const usage = tokens && { input, cacheRead, output, cacheWrite: 0 }
      const exit = { code: 0, signal: null }
      const result = { type: 'ended' as const, ok: true, text: 'x', usage, costUsd: usd }
      return pen.later(ms).add({ type: 'ended', id, how: 'exited', exit, ms, result, stoppedByRalph: false })
    },
    settle(iteration: IterationOptions = {}) {
      const { end = 'ok', move = null, note = '', findings = [], task = 'prompt', stage = 'work' } = iteration
      const free = end === 'limited' || end === 'interrupted'
      if (!free) n++
      const { doubts } = iteration
      const patch: Settled['patch'] = {
        ...(!free && { n }),
        ...(iteration.pauses && { notBefore: now + 1 }),
        ...(doubts && { doubts: { '': doubts } }),
      }
      const state = iteration.to ?? taskState(move === 'pass' ? 'done' : stage)
      return pen
        .add({
          type: 'settled',
          id,
          task,
          stage,
          move,
          end,
          note,
          findings,
          patch,
          state,
          add: [],
          block: {},
        })
        .add({ type: 'applied', id })
    },
    iterate: (iteration: IterationOptions = {}) => pen.start(iteration).end(iteration).settle(iteration),
    resume: (limits2: Partial<Limits> = {}) =>
      pen.add({ type: 'resumed', limits: { ...limits, ...limits2 } }),
    finish: (
      result: Extract<RunEvent, { type: 'finished' }>['result'],
      why: string,
      proof: 'verified' | 'claimed' | null = null,
    ) => pen.add({ type: 'finished', result, proof, why }).events,
  }
  return pen
}
