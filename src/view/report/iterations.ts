import type { Finding, Outcome, RunEvent, Settled } from '../../core/events.ts'
import { evolveList } from '../../core/evolve.ts'
import type { Move, StepId } from '../../core/table.ts'
import type { Task } from '../../core/task.ts'
import type { Tokens } from './spent.ts'

/** How an iteration that ended well moved its task, else the trouble it ended in. */
export type IterationEnd =
  | Move
  | Exclude<Outcome['end'], 'ok'>
  /** Ended well, but a person had decided about its task meanwhile. */
  | 'overruled'
  /** Still under way, or cut off by a crash. */
  | 'unsettled'

export type Iteration = {
  n: number
  /** Unlike `n`, no two have the same: an iteration that does not count is tried again. */
  step: StepId
  task: string
  /** What that was, in words; as it was called when the iteration began. */
  title: string
  stage: string
  agent: string | null
  end: IterationEnd
  /** Whether it is one of those that the limit allows. */
  counted: boolean
  /** One line, or ''. */
  note: string
  checks: { check: string; verdict: Finding['verdict']; note: string; log: string | null }[]
  commits: { by: 'ralph' | 'agent'; from: string | null; to: string }[]
  /** How many files it changed, and the first of them by name; null where nobody could tell. */
  files: { count: number; paths: string[] } | null
  tokens: Tokens | null
  usd: number | null
  /** From its start until its commits are made. */
  ms: number
}

/** The iterations of a run in the order in which they began. */
export function iterationsOf(events: readonly RunEvent[]): Iteration[] {
  const iterations = new Map<StepId, Iteration>()
  /** Those under way, and up to when their time is counted. */
  const counting = new Map<StepId, number>()
  const reach = (id: StepId, at: number): Iteration | undefined => {
    const iteration = iterations.get(id)
    const from = counting.get(id)
    if (iteration && from !== undefined) {
      iteration.ms += Math.max(at - from, 0)
      counting.set(id, at)
    }
    return iteration
  }
  let used = 0
  let tasks: readonly Task[] = []
  for (const event of events) {
    tasks = evolveList(tasks, event)
    switch (event.type) {
      case 'resumed':
        // Nobody worked between the crash and now.
        for (const id of counting.keys()) counting.set(id, event.at)
        break
      case 'started':
        iterations.set(event.id, begun(event, tasks.find(task => task.id === event.task)?.title ?? ''))
        counting.set(event.id, event.at)
        break
      case 'spawned':
        reach(event.id, event.at)
        break
      case 'ended': {
        const iteration = reach(event.id, event.at)
        if (!iteration) break
        const { usage, costUsd } = event.result
        iteration.usd = costUsd ?? null
        iteration.tokens = usage
          ? { input: usage.input, cached: usage.cacheRead, output: usage.output }
          : null
        break
      }
      case 'settled': {
        const iteration = reach(event.id, event.at)
        if (iteration) Object.assign(iteration, settledAs(event), { counted: (event.patch.n ?? 0) > used })
        used = event.patch.n ?? used
        break
      }
      case 'committed': {
        const { by, from, to } = event
        reach(event.id, event.at)?.commits.push({ by, from, to })
        break
      }
      case 'changed': {
        const iteration = reach(event.id, event.at)
        if (iteration) iteration.files = { count: event.count, paths: event.paths }
        break
      }
      case 'applied':
        reach(event.id, event.at)
        counting.delete(event.id)
        break
    }
  }
  return [...iterations.values()]
}

const begun = (event: Extract<RunEvent, { type: 'started' }>, title: string): Iteration => ({
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

function settledAs(event: Settled): Pick<Iteration, 'end' | 'note' | 'checks'> {
  const blocked = event.state.stage === 'blocked' ? event.state.why : ''
  return {
    end: event.end === 'ok' ? (event.move ?? 'overruled') : event.end,
    note: firstLine(event.note) || firstLine(blocked),
    checks: event.findings.map(({ check, verdict, note, log }) => ({
      check,
      verdict,
      note: verdict === 'pass' ? '' : reason(check, note),
      log: log ?? null,
    })),
  }
}

/** Why a check is not green, without repeating its name. */
const reason = (check: string, note: string) =>
  firstLine(note.replace(`Guardrail "${check}" `, '')).replace(/\.$/, '')

const firstLine = (text: string) =>
  text
    .split('\n')
    .find(line => line.trim() !== '')
    ?.trim() ?? ''
