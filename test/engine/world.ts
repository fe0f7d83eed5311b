import type { AgentEnded, AgentEvent, Exit, Finding, RunEvent } from '../../src/core/events.ts'
import { fold } from '../../src/core/evolve.ts'
import type { AgentListener, Check, Clock, Control, Live, Ports, Request } from '../../src/core/ports.ts'
import type { Limits, StageTable } from '../../src/core/table.ts'
import type { Task } from '../../src/core/task.ts'
import type { Workspace } from '../../src/core/workspaces.ts'
import { openBook } from '../../src/engine/book.ts'
import { type LoopEnding, runLoop } from '../../src/engine/run.ts'
import { runTable } from '../../src/workflows/run/spec.ts'

/** What the scripted agent does in one call. */
export type Act = {
  events?: AgentEvent[]
  /** Events that come one by one, each `laterMs` after the one before. */
  later?: AgentEvent[]
  laterMs?: number
  result?: Partial<AgentEnded>
  exit?: Exit
  /** Never exits by itself. */
  hangs?: boolean
  /** It runs on a screen, which changes at these times, in ms after it began. */
  screen?: number[]
  /** Its hooks say something at these times, in ms after it began. */
  hooks?: number[]
  /** It writes to a log of its own for so long, in ms after it began. */
  writesFor?: number
  /** What the checks say afterwards, by name; absent ones pass. */
  red?: string[]
  /** Whether it changes the tree. */
  edits?: boolean
  startError?: string
  /** How long it takes to start, in ms. */
  startsAfter?: number
}

const LIMITS: Limits = {
  iterations: 10,
  failures: 5,
  crashes: 3,
  stuck: 3,
  empties: 2,
  limitWaitMs: 3_600_000,
  usd: null,
  tokens: null,
  ms: null,
  additions: 200,
}

/** The power went: nothing after this happens. */
class PowerCut extends Error {}

/** A clock that jumps to the next timer whenever everybody waits. */
class FakeClock implements Clock {
  private passed = 0
  /** What the time of day is ahead of it. */
  private ahead = 1_700_000_000_000
  timers = new Set<{ at: number; call: () => void }>()
  now = () => this.passed + this.ahead
  elapsed = () => this.passed
  /** Somebody sets the time of day. */
  jump(ms: number) {
    this.ahead += ms
  }
  after(ms: number, call: () => void) {
    const timer = { at: this.passed + ms, call }
    this.timers.add(timer)
    return () => void this.timers.delete(timer)
  }
  /** Fires the earliest timer; false if there is none. */
  tick(): boolean {
    const next = [...this.timers].sort((a, b) => a.at - b.at)[0]
    if (!next) return false
    this.timers.delete(next)
    this.passed = Math.max(this.passed, next.at)
    next.call()
    return true
  }
}

type Options = {
  tasks?: Task[]
  workflow?: StageTable
  limits?: Partial<Limits>
  agents?: string[]
  /** The names of the checks. */
  checks?: string[]
}

/** The engine's world in memory. It outlives incarnations: a crash loses only what was not journaled. */
export class World {
  journal: RunEvent[] = []
  /** Everything told, the passing events too. */
  heard: RunEvent[] = []
  calls = 0
  prompts: string[] = []
  applied: number[] = []
  reaped: number[] = []
  stopped = 0
  left = 0
  tree = 0
  clock = new FakeClock()
  /** The nth boundary (any await or record) at which the power goes; Infinity: never. */
  cutAt = Number.POSITIVE_INFINITY
  boundaries = 0
  /** Or right after this kind of event is journaled, so many times. */
  cutAfter: { type: RunEvent['type']; times: number } | null = null
  soft = new AbortController()
  hard = new AbortController()
  private dark = false
  private asked = 0
  private requests: Request[] = []
  /** Asks something of the run, as a person would from outside. */
  ask: (control: Control) => void = () => {}
  onCall?: (n: number) => void
  onEvent?: (event: RunEvent) => void
  onLeave?: () => void
  /** How the workflow answers a request about its list; absent: it takes none. */
  onRequest?: Ports['onRequest']
  /** Nothing would ever happen by itself. */
  onIdle?: () => void
  /** How the checks stand before the first iteration. */
  before: Act = {}
  private current: Act | null = null

  private acts: Act[]
  private options: Options

  constructor(acts: Act[], options: Options = {}) {
    this.acts = acts
    this.options = options
  }

  private boundary() {
    if (this.dark || ++this.boundaries >= this.cutAt) this.cutPower()
  }

  private cutPower() {
    this.dark = true
    throw new PowerCut()
  }

  private async pass<T>(value: T): Promise<T> {
    await Promise.resolve()
    this.boundary()
    return value
  }

  private emit(event: RunEvent) {
    this.boundary()
    this.heard.push(event)
    this.onEvent?.(event)
  }

  private append(event: RunEvent) {
    this.emit(event)
    this.journal.push(JSON.parse(JSON.stringify(event)))
    if (this.cutAfter?.type === event.type && this.cutAfter.times-- > 0) this.cutPower()
    this.boundary()
  }

  ports(): Ports {
    return {
      clock: this.clock,
      emit: event => this.emit(event),
      agentsFor: () => this.options.agents ?? ['a'],
      buildPrompt: ({ state, task }) =>
        this.pass(`carry:${(state.taskStates[task.id]?.lastRed ?? []).map(f => f.check)}`),
      call: async (work, prompt, listener) => {
        await this.pass(null)
        this.calls++
        this.onCall?.(this.calls)
        this.prompts.push(prompt)
        const act = this.acts[Math.min(work.step.n, this.acts.length) - 1] ?? {}
        this.current = act
        const { startsAfter } = act
        if (startsAfter) await new Promise<void>(up => this.clock.after(startsAfter, up))
        if (act.startError) throw new Error(act.startError)
        if (act.edits !== false) this.tree++
        return this.actor(act, work.step.id, listener)
      },
      reap: async refs => {
        this.reaped.push(...refs.map(ref => ref.pid))
        await this.pass(null)
      },
      controls: {
        pending: () => [...this.requests],
        done: id => {
          this.requests = this.requests.filter(request => request.id !== id)
        },
        onChange: call => {
          this.ask = control => {
            this.requests.push({ id: String(++this.asked), control })
            call()
          }
          return () => {}
        },
      },
      checksAtOnce: 1,
      checks: () => (this.options.checks ?? []).map(name => this.check(name)),
      workspaceOf: async () => this.workspace as Workspace,
      claims: (_work, text) => this.pass({ signal: text.includes('DONE') }),
      adoptEdits: () => this.pass(undefined),
      ...(this.onRequest && { onRequest: this.onRequest }),
      onLeave: async () => {
        this.onLeave?.()
        this.left++
      },
      apply: async settled => {
        await this.pass(null)
        if (!this.applied.includes(settled.id)) this.applied.push(settled.id)
        await this.pass(null)
      },
    }
  }

  /** What the engine itself asks of a workspace. */
  private workspace: Partial<Workspace> = {
    dir: '/p',
    beforeFirstChecks() {},
    afterAgent: () => this.pass(undefined),
    doubts: async () => [],
    fingerprint: () => this.pass(String(this.tree)),
    changedInStep: async () => null,
    recordChanges: async () => {},
    prepareApply: async () => [],
  }

  private actor(act: Act, id: number, listener: AgentListener) {
    let leave: (exit: Exit) => void = () => {}
    const exit = new Promise<Exit>(resolve => {
      leave = resolve
    })
    const result: AgentEnded = { type: 'ended', ok: true, text: 'working', ...act.result }
    const live: Live = {
      ref: { pid: 1000 + id, startTime: '1', host: 'here' },
      ...(act.screen && { watched: 'screen' as const }),
      exit,
      sweep: async () => {},
      stop: async () => {
        this.stopped++
        leave({ code: null, signal: 'SIGTERM' })
      },
    }
    void Promise.resolve().then(() => {
      for (const event of act.events ?? []) listener.event(event)
      for (const [i, event] of (act.later ?? []).entries())
        this.clock.after((i + 1) * (act.laterMs ?? 0), () => listener.event(event))
      for (const ms of act.screen ?? []) this.clock.after(ms, () => listener.activity('screen'))
      for (const ms of act.hooks ?? []) this.clock.after(ms, () => listener.activity('hooks'))
      if (!act.hangs) leave(act.exit ?? { code: 0, signal: null })
    })
    const gaveResult = act.events?.some(e => e.type === 'ended') ?? false
    const began = this.clock.now()
    const { writesFor } = act
    const lastWritten = () => (writesFor === undefined ? null : Math.min(this.clock.now(), began + writesFor))
    return { live, lastWritten, end: () => (gaveResult || (act.hangs && !act.result) ? [] : [result]) }
  }

  private check(name: string): Check {
    return {
      name,
      run: async () => {
        await this.pass(null)
        const red = (this.current ?? this.before).red?.includes(name)
        const finding: Finding = {
          check: name,
          verdict: red ? 'fail' : 'pass',
          note: red ? `${name} is red` : '',
        }
        return { finding, exit: { code: red ? 1 : 0, signal: null } }
      },
    }
  }

  /** One incarnation: begins the run, or goes on with it. Time passes only while everybody waits. */
  async host(raised: Partial<Limits> = {}): Promise<LoopEnding> {
    this.dark = false
    const limits = { ...LIMITS, ...this.options.limits, ...raised }
    const ports = this.ports()
    const book = openBook(this.options.workflow ?? runTable(), fold(this.journal), event =>
      this.append(event),
    )
    const at = this.clock.now()
    const again = this.journal.length > 0
    if (again) book.record({ type: 'resumed', at, limits })
    else {
      const tasks = this.options.tasks ?? [{ id: 'p', title: 'p', blockedBy: [] }]
      book.record({
        type: 'began',
        at,
        v: 2,
        id: 'r',
        project: '/p',
        workflow: 'run',
        limits,
        tasks,
        pins: {},
      })
    }
    const signals = { soft: this.soft.signal, hard: this.hard.signal }
    const timeouts = { inactivityMs: 300_000, screenMs: 60_000, iterationMs: 7_200_000, lingerMs: 10_000 }
    let over = false
    const incarnation = runLoop(book, ports, { timeouts, signals, baseline: true, again }).finally(() => {
      over = true
    })
    incarnation.catch(() => {})
    while (!over) {
      await settleDown()
      if (!over && !this.clock.tick()) this.onIdle?.()
    }
    return incarnation
  }

  /** Until it ends, however often the power goes. */
  async hostThrough(cuts: Iterable<number>): Promise<LoopEnding> {
    for (const cut of cuts) {
      this.cutAt = this.boundaries + cut
      try {
        return await this.host()
      } catch (error) {
        if (!(error instanceof PowerCut)) throw error
        this.clock.timers.clear()
      }
    }
    this.cutAt = Number.POSITIVE_INFINITY
    return this.host()
  }

  types(): string[] {
    return this.journal.map(e => e.type)
  }
  of<T extends RunEvent['type']>(type: T) {
    return this.heard.filter((e): e is Extract<RunEvent, { type: T }> => e.type === type)
  }
}

/** Lets every promise that can go on do so. */
async function settleDown(): Promise<void> {
  await new Promise(resolve => setImmediate(resolve))
}

export const done = { result: { text: 'DONE' } }
