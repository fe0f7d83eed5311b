import type { AgentName, Limits, Move, RunState, StageName, StepId, Streak, TaskState } from './table.ts'
import type { Edit, Task, TaskId } from './task.ts'
import type { Finding } from './verification/finding.ts'
import type { WorkspaceEvent } from './workspaces.ts'

export type { Finding } from './verification/finding.ts'

/** Tokens of one agent call. `input` counts all of them, the cached and the newly cached ones too. */
export type Usage = { input: number; output: number; cacheRead: number; cacheWrite: number }

/** What a call used. `estimated`: the agent told no cost, and ralph estimated it from the price of the model. */
export type Cost = { usage?: Usage; costUsd?: number; estimated?: true }

/** An entry of an agent's own to-do list, and of a build's tasks.json. */
export type TodoItem = {
  id?: string
  content: string
  status: 'pending' | 'in_progress' | 'completed'
  activeForm: string
  blockedBy?: readonly string[]
}

/** Whose tool call it is, if not the main agent's; and whether hooks told of it, because there is no stream. */
type ToldBy = { from?: 'subagent'; by?: 'hooks' }

/** What an agent did, whatever CLI it is. A parser turns lines into these. */
export type AgentEvent =
  /** The agent has started. `auth` says how it will be paid, if the CLI reports it. */
  | { type: 'started'; session?: string; model?: string; auth?: string }
  /** Words of the agent, or of one of its subagents. `echo`: a line of its prompt, which its command printed. */
  | { type: 'text'; text: string; from?: 'subagent'; echo?: true }
  /**
   * A tool call began. It is open until the toolResult with the same id. If it edits a file and the CLI reports the change,
   * `diff` has the lines, each with a leading `-`, `+` or space.
   */
  | ({ type: 'tool'; id: string; name: string; summary: string; diff?: string[] } & ToldBy)
  | ({ type: 'toolResult'; id: string; ok: boolean; output: string } & ToldBy)
  /** The agent's own list, complete and current. */
  | { type: 'todo'; items: TodoItem[] }
  /** The CLI had a problem and retries by itself. */
  | { type: 'retrying'; note: string }
  /** A rate or usage limit ended the call. `resetsAt` in ms since the epoch, if stated. */
  | { type: 'limited'; resetsAt?: number; note: string }
  /**
   * The service rejects this agent, and waiting does not help: a refused key, no credit, an unknown model.
   * The agent is ended at once if it goes on.
   */
  | { type: 'unusable'; note: string }
  /** How many tasks of its own the agent now runs in the background. */
  | { type: 'background'; open: number }
  /** The agent gave a result and nothing of its own is open, so it should exit now. Any other event cancels this. */
  | { type: 'answered' }
  /** The last event, exactly one: how the agent itself says it ended, and the main agent's final text. */
  | ({
      type: 'ended'
      ok: boolean
      text: string
      /** Tool calls refused because permission was missing (not those a hook refused on purpose). */
      denials?: number
      error?: string
      /** The answer as a schema asked for it, from a CLI that gives it apart from the text. */
      structured?: unknown
    } & Cost)
  /** A line that the parser could not read, cut to a readable length. */
  | { type: 'unparsed'; line: string }

export type AgentEnded = Extract<AgentEvent, { type: 'ended' }>

/**
 * How a process ended: exactly one of the two is not null. `lost`: somebody took away the place where it ran, so nobody
 * knows how it would have ended; the text says what happened.
 */
export type Exit = { code: number | null; signal: string | null; lost?: string }

/** What shows that an agent is at work: the events or lines that it prints, or its screen. */
export type Watched = 'stream' | 'screen'

/** Enough to find a process again after a crash, and to know that it is not another with the same number. */
export type ProcessRef = { pid: number; startTime: string; host: string }

/** What is known of who sent a request. */
export type Sender = {
  pid: number
  /** Its terminal, `pts/3`. Null if it has none. */
  terminal: string | null
  /** The runs whose agents or checks it came from. Absent if none is known. */
  within?: string[]
}

/** The agent that works from a resume on. `flags` are those of the settings that it gets. */
export type ResumedAgent = { argv: string[]; explicit: boolean; model: string | null; flags: string[] }

/** The outcome of one iteration. Expected trouble is data, never an exception. */
export type Outcome =
  | {
      end: 'ok'
      /** The agent gave the stage's signal (its completion response, its promise, its claim in the list). */
      signal?: boolean
      verdict?: 'approve' | 'reject'
      note?: string
      /** The agent asks for a person; its question. */
      asks?: string
      findings: Finding[]
      /** The fingerprint of the tree that the checks ran on, if there is one. */
      tree?: string
      changed: boolean
      said?: string
      /** Tool calls that were refused: the agent could not do all it wanted. */
      denials?: number
      /** Its screen did not change, and ralph stopped it. */
      fellSilent?: true
      /** Tasks that this stage produced (decomposing a goal). */
      yields?: Task[]
    }
  | { end: 'limited'; resetsAt?: number; note: string }
  | { end: 'unusable'; note: string }
  | {
      end: 'error' | 'inactive' | 'timeout' | 'interrupted' | 'empty'
      note: string
      changed: boolean
      /** Interrupted on purpose: it does not count as a crash. */
      byUser?: boolean
    }

/** What an agent wrote about its own work. */
export type Claimed = Partial<Pick<Extract<Outcome, { end: 'ok' }>, 'signal' | 'verdict' | 'note'>> & {
  /** Files that it changed although its role may not, and that were put back. */
  undone?: string[]
}

export type Result =
  | 'complete'
  | 'blocked'
  | 'failures'
  | 'inactive'
  | 'limited'
  | 'unusable'
  | 'exhausted'
  | 'budget'
  | 'cancelled'

/** `verified`: checks were green on the tree as it was left. `claimed`: someone said so. */
export type Proof = 'verified' | 'claimed'

/** Why ralph stopped an agent; `exited` means that it ended by itself or after its result. */
export type How = 'exited' | 'inactive' | 'timeout' | 'interrupted'

/** How the agent of a step ended, as ralph saw it. What the agent itself said of that is its `result`. */
export type AgentEnding = {
  how: How
  exit: Exit
  ms: number
  result: AgentEnded
  limited?: { resetsAt?: number; note: string }
  unusable?: { note: string }
  /** Ralph stopped it, after its result for instance: then its exit says nothing. */
  stoppedByRalph: boolean
  /** Absent for an agent that is watched by its stream. */
  watched?: Watched
  model?: string
  /** What the agent had written about its work when it ended; what is written later is not its claim. */
  claimed?: Claimed
}

/** Where the project is, which folder that is (device and inode), and when it was made: a later one may have its inode. */
type Place = { project?: string; folder?: string; born?: number }

/**
 * What a run did. Those that `isTruth` are the journal; folding them gives the state.
 * Every one carries the time. In the journal also by a clock of the process that nobody can set (`up`), for durations.
 */
export type RunEvent = { at: number; up?: number } & (
  | ({
      type: 'began'
      v: 2
      id: string
      project: string
      workflow: string
      limits: Limits
      tasks: Task[]
      /** The resolved settings and whatever else the run's rules depend on; edits of files do not change them. */
      pins: Record<string, unknown>
      /** The process that hosts it; by this, others see whether it is alive. */
      by?: ProcessRef
    } & Place)
  /** A later incarnation of the same run. The project may have been moved. */
  | ({ type: 'resumed'; limits: Limits; by?: ProcessRef; from?: Sender; agent?: ResumedAgent } & Place)
  /** The checks as they were before the first iteration. */
  | { type: 'baseline'; findings: Finding[]; tree?: string }
  | {
      type: 'started'
      id: StepId
      task: TaskId
      stage: StageName
      agent: AgentName | null
      n: number
      /** The name of the step's workspace. Absent for the project. */
      workspace?: string
      /** What its agent may spend. Absent if there is no limit. */
      usd?: number
    }
  /** `watched`: absent for an agent that is watched by its stream. */
  | { type: 'spawned'; id: StepId; ref: ProcessRef; watched?: Watched }
  | ({ type: 'ended'; id: StepId } & AgentEnding)
  /** During a step, an agent was asked a question outside of its stages: in which role, and what that cost. */
  | ({ type: 'asked'; id: StepId; role: string; agent: AgentName; ms: number } & Cost)
  | Settled
  /** About to commit. On repeat, a commit with this parent and message means that it is done. */
  | { type: 'committing'; id: StepId; parent: string | null; message: string }
  /** Commits that are there now: ralph's own, or the agent's, by range. */
  | { type: 'committed'; id: StepId; by: 'ralph' | 'agent'; from: string | null; to: string }
  /** What an iteration changed: how many files, and the first of them. */
  | { type: 'changed'; id: StepId; paths: string[]; count: number }
  | { type: 'applied'; id: StepId }
  | WorkspaceEvent
  | ({
      type: 'edited'
      by: 'person' | 'agent' | 'ralph'
      /** The request that asked for it, if one did. */
      request?: string
      from?: Sender
    } & Edit)
  /** A request from outside. Its name makes sure that it counts only once, also after a crash. */
  | { type: 'control'; hold: RunState['hold']; request?: string; from?: Sender }
  /** New limits for the rest of the run. `by`: they come from an edit of a worker's state file, not from a request. */
  | { type: 'limits'; limits: Limits; by?: 'file'; request?: string; from?: Sender }
  /** State of the workflow's own, of the run or of one task. The latest value of a key counts. */
  | { type: 'noted'; workflow: string; key: string; task?: TaskId; value: unknown }
  /** An instruction from the user. All later prompts contain it, or all later prompts of one task. */
  | { type: 'instructed'; text: string; task?: TaskId; request?: string; from?: Sender }
  /**
   * The engine left the loop without finishing; `resume` goes on. `cleanly`: what agents had written
   * was judged, and what is written later is people's.
   */
  | { type: 'stopped'; why: string; cleanly?: true }
  /** `from`: who cancelled it while no process hosted it. */
  | { type: 'finished'; result: Result; proof: Proof | null; why: string; from?: Sender }
  /** All changes of the run were put back. `saved`: a git ref that keeps what was there before. */
  | { type: 'undone'; saved: string }
  | { type: 'warned'; note: string }
  /** The sandbox refused a host (`why`: although it is allowed), or the writing of a file; the user allows a host. */
  | { type: 'denied'; host: string; id?: StepId; why?: string }
  | { type: 'refused'; path: string; id?: StepId }
  | { type: 'allowed'; host: string; request?: string; from?: Sender }
  /** After a step was settled: why green checks are not enough, under the name of a check. Null once they are. */
  | { type: 'doubted'; id: StepId; check: string; why: string | null }
  // Passing events.
  | { type: 'prompted'; id: StepId; text: string }
  | { type: 'agent'; id: StepId; event: AgentEvent }
  | { type: 'checking'; id: StepId | null; check: string }
  | { type: 'checked'; id: StepId | null; finding: Finding; ms: number; exit: Exit | null }
  | { type: 'waiting'; until: number; why: string }
  /** Ralph asks somebody at the terminal; nothing continues until they answer. */
  | { type: 'asking'; id: StepId; what: string }
)

/** The result of `settle`: a patch of what changed, never the whole state. */
export type Settled = {
  type: 'settled'
  at: number
  id: StepId
  task: TaskId
  stage: StageName
  workspace?: string
  /** Null if the outcome changed nothing (limited, interrupted, an agent error). */
  move: Move | null
  end: Outcome['end']
  note: string
  findings: Finding[]
  /** The fingerprint of the tree that the checks ran on. */
  tree?: string
  patch: Partial<
    Pick<RunState, 'n' | 'waits' | 'limitedSince' | 'until' | 'unusable' | 'doubts'> &
      Pick<Streak, 'failures' | 'empties' | 'silent'> & {
        /** Until when the task waits. */
        notBefore: number
      }
  >
  state: TaskState
  add: Task[]
  block: Record<TaskId, TaskId>
}

/** An event for those who watch; it is not kept. */
export type PassingEvent = Extract<
  RunEvent,
  { type: 'prompted' | 'agent' | 'checking' | 'checked' | 'waiting' | 'asking' }
>

const PASSING: ReadonlySet<RunEvent['type']> = new Set<PassingEvent['type']>([
  'prompted',
  'agent',
  'checking',
  'checked',
  'waiting',
  'asking',
])

/** Whether an event belongs in the journal. */
export const isTruth = (event: RunEvent): boolean => !PASSING.has(event.type)
