import type { Cost, Finding, RunEvent } from './events.ts'
import { initial, type RunState } from './table.ts'
import { applyEdit, insertAfter, type Task, type TaskId } from './task.ts'
import { streaksAfter, withoutStreaks } from './trouble/streaks.ts'
import type { WorkspaceState } from './workspaces.ts'

/** Counts in a row and waits, as they begin. */
const COUNTS = {
  streaks: {},
  pauses: {},
  waits: {},
  limitedSince: null,
  until: {},
  unusable: {},
} satisfies Partial<RunState>

/** The state after one more event. Folding the journal with this gives the state, with or without a crash. */
export function evolve(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case 'began':
    case 'resumed':
      // Counts in a row and waits start again, or a failed run could never continue.
      return { ...state, ...COUNTS, limits: event.limits, hold: null }
    case 'started': {
      const { type: _, ...step } = event
      return { ...state, steps: step.id, flight: { ...state.flight, [step.id]: step } }
    }
    case 'spawned': {
      const step = state.flight[event.id]
      if (!step) return state
      return { ...state, flight: { ...state.flight, [event.id]: { ...step, ref: event.ref } } }
    }
    case 'ended': {
      const step = state.flight[event.id]
      if (!step) return state
      const { type: _, at: __, id, ...ended } = event
      return {
        ...state,
        spent: addSpent(state.spent, ended.result),
        flight: { ...state.flight, [id]: { ...step, ended } },
      }
    }
    case 'asked':
      return { ...state, spent: addSpent(state.spent, event) }
    case 'settled': {
      const { [event.id]: _, ...flight } = state.flight
      const { failures: _f, empties: _e, silent: _i, notBefore: _n, ...patch } = event.patch
      return {
        ...state,
        ...patch,
        ...streaksAfter(state, event),
        flight,
        ...checkedTree(state, event, event.workspace),
        unapplied: { ...state.unapplied, [event.id]: event },
        taskStates: { ...state.taskStates, [event.task]: event.state },
      }
    }
    case 'committing': {
      const { id, parent, message } = event
      return { ...state, intents: { ...state.intents, [id]: { parent, message } } }
    }
    case 'committed': {
      const intent = state.intents[event.id]
      const { workspace } = state.flight[event.id] ?? state.unapplied[event.id] ?? {}
      const moved = workspace === undefined ? state : changeWorkspace(state, workspace, { tip: event.to })
      if (event.by !== 'ralph' || !intent) return moved
      return { ...moved, intents: { ...state.intents, [event.id]: { ...intent, made: true } } }
    }
    case 'doubted':
      return { ...state, doubts: { ...state.doubts, ...doubtedLater(state, event) } }
    case 'applied': {
      const { [event.id]: _, ...unapplied } = state.unapplied
      const { [event.id]: __, ...intents } = state.intents
      return { ...state, unapplied, intents }
    }
    case 'opening': {
      const { task, dir, branch, base } = event
      return { ...state, workspaces: { ...state.workspaces, [event.workspace]: { task, dir, branch, base } } }
    }
    case 'opened':
      return changeWorkspace(state, event.workspace, { start: event.start })
    case 'merging': {
      const { id, onto, tip } = event
      return changeWorkspace(state, event.workspace, { merging: { id, onto, tip } })
    }
    case 'rebased': {
      const { base, tip, conflict } = event
      const merging = state.workspaces[event.workspace]?.merging
      return changeWorkspace(state, event.workspace, {
        base,
        tip,
        conflict: conflict && { commit: tip, paths: conflict },
        ...(merging && { merging: { ...merging, to: tip } }),
      })
    }
    case 'landing': {
      const { id, from, to } = event
      return changeWorkspace(state, event.workspace, { landing: { id, from, to } })
    }
    case 'merged':
      return changeWorkspace(state, event.workspace, { merged: { from: event.from, to: event.to } })
    case 'closed': {
      const { [event.workspace]: _, ...workspaces } = state.workspaces
      return { ...state, workspaces }
    }
    case 'edited': {
      const taskStates = { ...state.taskStates, ...event.state }
      // A later task with the same id is another task: it must not inherit this one's state.
      for (const id of event.list?.remove ?? []) delete taskStates[id]
      const anew = [...Object.keys(event.state ?? {}), ...(event.list?.remove ?? [])]
      const added = event.by === 'agent' ? (event.list?.add?.length ?? 0) : 0
      return { ...state, ...withoutStreaks(state, anew), taskStates, added: state.added + added }
    }
    case 'control':
      // A request takes effect now: it cuts short a pause after a failure or a limit.
      return { ...state, hold: event.hold, pauses: {}, until: {}, unusable: {} }
    case 'limits':
      return { ...state, limits: event.limits }
    case 'instructed':
      return event.task === undefined
        ? { ...state, instructions: [...state.instructions, event.text] }
        : { ...state, taskInstructions: addInstruction(state.taskInstructions, event.task, event.text) }
    case 'denied':
      return { ...state, sandbox: { ...state.sandbox, denied: [...state.sandbox.denied, event.host] } }
    case 'refused':
      return { ...state, sandbox: { ...state.sandbox, refused: [...state.sandbox.refused, event.path] } }
    case 'allowed': {
      const denied = state.sandbox.denied.filter(host => host !== event.host)
      return {
        ...state,
        sandbox: { ...state.sandbox, denied, allowed: [...state.sandbox.allowed, event.host] },
      }
    }
    case 'baseline':
      return {
        ...state,
        ...checkedTree(state, event),
        redBefore: event.findings.filter(f => f.verdict === 'fail').map(f => f.check),
        countsBefore: Object.fromEntries(
          event.findings.flatMap(f => (typeof f.count === 'number' ? [[f.check, f.count]] : [])),
        ),
      }
    case 'stopped':
    case 'finished':
    case 'warned':
    case 'noted':
    case 'changed':
    case 'undone':
    case 'prompted':
    case 'agent':
    case 'checking':
    case 'checked':
    case 'waiting':
    case 'asking':
      return state
    default:
      return event satisfies never
  }
}

function changeWorkspace(state: RunState, name: string, change: Partial<WorkspaceState>): RunState {
  const known = state.workspaces[name]
  return known ? { ...state, workspaces: { ...state.workspaces, [name]: { ...known, ...change } } } : state
}

function doubtedLater(
  { doubts, unapplied }: RunState,
  { id, check, why }: Extract<RunEvent, { type: 'doubted' }>,
): RunState['doubts'] {
  const workspace = unapplied[id]?.workspace ?? ''
  const others = (doubts[workspace] ?? []).filter(doubt => doubt.check !== check)
  if (why === null) return { [workspace]: others }
  const note = `The checks are green, but the work does not count as verified: ${why}.`
  return { [workspace]: [...others, { check, verdict: 'pass', note, doubts: [why] }] }
}

const addInstruction = (
  all: RunState['taskInstructions'],
  task: TaskId,
  text: string,
): RunState['taskInstructions'] => ({
  ...all,
  [task]: [...(Object.hasOwn(all, task) ? all[task]! : []), text],
})

const addSpent = (spent: RunState['spent'], { usage, costUsd, estimated }: Cost): RunState['spent'] => ({
  ...spent,
  usd: spent.usd + (costUsd ?? 0),
  tokens: spent.tokens + (usage?.input ?? 0) + (usage?.output ?? 0),
  ...(estimated && { estimated }),
})

function checkedTree(
  { checked }: RunState,
  { tree, findings }: { tree?: string; findings: Finding[] },
  workspace = '',
): Partial<RunState> {
  if (tree === undefined) return {}
  const red = findings.filter(f => f.verdict === 'fail' && !f.claim).map(f => f.check)
  return { checked: { ...checked, [workspace]: { tree, red } } }
}

/** The list after one more event: with the tasks that ralph added, and the edits it adopted. */
export function evolveList(tasks: readonly Task[], event: RunEvent): readonly Task[] {
  switch (event.type) {
    case 'began':
      return event.tasks
    case 'edited':
      return event.list ? applyEdit(tasks, event.list) : tasks
    case 'settled': {
      if (event.add.length === 0) return tasks
      const list = tasks.map(t => {
        const by = Object.hasOwn(event.block, t.id) ? event.block[t.id] : undefined
        return by && !t.blockedBy.includes(by) ? { ...t, blockedBy: [...t.blockedBy, by] } : t
      })
      return insertAfter(list, event.add, event.task)
    }
    default:
      return tasks
  }
}

/** A run, folded from its journal. */
export type Folded = { readonly tasks: readonly Task[]; readonly state: RunState }

/** The state and the list of a journal. */
export function fold(events: Iterable<RunEvent>): Folded {
  let state = initial
  let tasks: readonly Task[] = []
  for (const event of events) {
    state = evolve(state, event)
    tasks = evolveList(tasks, event)
  }
  return { state, tasks }
}

/**
 * Whether the last incarnation stopped cleanly: it judged what its agents wrote, so a later difference is a person's
 * edit. After a crash or an unexpected error nobody can tell, and a difference counts as the agent's.
 */
export function stoppedCleanly(events: readonly RunEvent[]): boolean {
  const last = events.findLast(({ type }) => type === 'started' || type === 'resumed' || type === 'stopped')
  return last?.type === 'stopped' && last.cleanly === true
}
