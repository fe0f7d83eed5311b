import type { Cost, Finding, Outcome, RunEvent, Settled } from '../../core/events.ts'
import { evolveList } from '../../core/evolve.ts'
import { firstLine } from '../../core/format.ts'
import type { Move, StepId } from '../../core/table.ts'
import type { Task } from '../../core/task.ts'
import type { Tokens } from './spent.ts'
import { timeBetween } from './times.ts'

/** The move of an iteration that ended well, otherwise how it ended. */
export type IterationEnd =
  | Move
  | Exclude<Outcome['end'], 'ok'>
  /** Ended well, but a person decided about its task in the meantime. */
  | 'overruled'
  /** Still under way, or cut off by a crash. */
  | 'unsettled'

export type Iteration = {
  n: number
  /** Unlike `n` it is unique: an iteration that does not count is tried again under the same number. */
  step: StepId
  task: string
  /** The title of the task when the iteration began. */
  title: string
  stage: string
  agent: string | null
  end: IterationEnd
  /** Whether it counts towards the limit. */
  counted: boolean
  /** Its agent has ended, and its checks are still to run: the run was stopped in between. */
  unchecked?: true
  /** One line, or ''. */
  note: string
  checks: {
    check: string
    verdict: Finding['verdict']
    note: string
    log: string | null
    doubts?: string[]
    /** Which CLI judged. Absent if none did. */
    judgedBy?: string
  }[]
  /** What the sandbox refused. Absent if it refused nothing, or if there was none. */
  denied?: string[]
  commits: { by: 'ralph' | 'agent'; from: string | null; to: string }[]
  /** How many files it changed, and the names of the first ones. Null if unknown. */
  files: { count: number; paths: string[] } | null
  tokens: Tokens | null
  usd: number | null
  /** The cost is an estimate from tokens and list prices. */
  estimated?: true
  /** From its start until its commits are made. */
  ms: number
}

/** The iterations of a run in the order in which they began. */
export function iterationsOf(events: readonly RunEvent[]): Iteration[] {
  const iterations = iterationReader()
  let tasks: readonly Task[] = []
  for (const event of events) {
    tasks = evolveList(tasks, event)
    iterations.onEvent(event, tasks)
  }
  return iterations.all()
}

/** Reads the iterations of a run event by event. */
export type IterationReader = {
  /** `tasks`: the list after the event. */
  onEvent(event: RunEvent, tasks: readonly Task[]): void
  all(): Iteration[]
}

/** Keeps at most `most` iterations: an older one that is over goes, after `onDropped` has seen it. */
export function iterationReader(
  most = Number.POSITIVE_INFINITY,
  onDropped = (_: Iteration): void => {},
): IterationReader {
  const iterations = new Map<StepId, Iteration>()
  /** The iterations under way, and until when their time is counted so far. */
  const counting = new Map<StepId, RunEvent>()
  const countTime = (id: StepId, event: RunEvent): Iteration | undefined => {
    const iteration = iterations.get(id)
    const from = counting.get(id)
    if (iteration && from !== undefined) {
      iteration.ms += timeBetween(from, event)
      counting.set(id, event)
    }
    return iteration
  }
  let used = 0
  const dropOldest = () => {
    const [id, oldest] = iterations.entries().next().value ?? []
    if (iterations.size <= most || id === undefined || !oldest || counting.has(id)) return
    iterations.delete(id)
    onDropped(oldest)
  }
  return {
    all: () => [...iterations.values()],
    onEvent(event, tasks) {
      switch (event.type) {
        case 'resumed':
          // The time between the crash and the resume does not count.
          for (const id of counting.keys()) counting.set(id, event)
          break
        case 'started':
          iterations.set(
            event.id,
            newIteration(event, tasks.find(task => task.id === event.task)?.title ?? ''),
          )
          counting.set(event.id, event)
          dropOldest()
          break
        case 'spawned':
          countTime(event.id, event)
          break
        case 'ended': {
          const iteration = countTime(event.id, event)
          if (!iteration) break
          iteration.unchecked = true
          addSpent(iteration, event.result)
          break
        }
        case 'asked': {
          const iteration = countTime(event.id, event)
          if (iteration) addSpent(iteration, event)
          break
        }
        case 'settled': {
          const iteration = countTime(event.id, event)
          if (iteration) {
            Object.assign(iteration, settledFields(event), { counted: (event.patch.n ?? 0) > used })
            delete iteration.unchecked
          }
          used = event.patch.n ?? used
          break
        }
        case 'committed': {
          const { by, from, to } = event
          countTime(event.id, event)?.commits.push({ by, from, to })
          break
        }
        case 'changed': {
          const iteration = countTime(event.id, event)
          if (iteration) iteration.files = { count: event.count, paths: event.paths }
          break
        }
        case 'denied':
        case 'refused': {
          const iteration = event.id === undefined ? undefined : iterations.get(event.id)
          const what = event.type === 'denied' ? event.host : `writing ${event.path}`
          if (iteration) iteration.denied = [...(iteration.denied ?? []), what]
          break
        }
        case 'applied':
          countTime(event.id, event)
          counting.delete(event.id)
          break
      }
    },
  }
}

function addSpent(iteration: Iteration, { usage, costUsd, estimated }: Cost): void {
  if (estimated) iteration.estimated = true
  if (costUsd !== undefined) iteration.usd = (iteration.usd ?? 0) + costUsd
  if (!usage) return
  const { input, cached, output } = iteration.tokens ?? { input: 0, cached: 0, output: 0 }
  iteration.tokens = {
    input: input + usage.input,
    cached: cached + usage.cacheRead,
    output: output + usage.output,
  }
}

const newIteration = (event: Extract<RunEvent, { type: 'started' }>, title: string): Iteration => ({
  n: event.n,
  step: event.id,
  task: event.task,
  title,
  stage: event.stage,
  agent: event.agent,
  end: 'unsettled',
  counted: false,
  note: '',
  checks: [],
  commits: [],
  files: null,
  tokens: null,
  usd: null,
  ms: 0,
})

function settledFields(event: Settled): Pick<Iteration, 'end' | 'note' | 'checks'> {
  const blocked = event.state.stage === 'blocked' ? event.state.why : ''
  return {
    end: endOf(event),
    note: firstLine(event.note) || firstLine(blocked),
    checks: event.findings.map(({ check, verdict, note, log, doubts, judgedBy }) => ({
      check,
      verdict,
      note: doubts ? doubts.join('; ') : verdict === 'pass' ? '' : reasonOf({ check, note }),
      log: log ?? null,
      ...(doubts && { doubts }),
      ...(judgedBy !== undefined && { judgedBy }),
    })),
  }
}

/** Why a check is not green, without repeating its name. */
export const reasonOf = ({ check, note }: Pick<Finding, 'check' | 'note'>): string =>
  firstLine(note.replace(`Guardrail "${check}" `, '')).replace(/\.$/, '')

/** What an iteration that was settled came to. */
export const endOf = ({ end, move }: Settled): IterationEnd => (end === 'ok' ? (move ?? 'overruled') : end)
