import type { AgentEnding, Finding, ProcessRef, Settled } from './events.ts'
import type { Task, TaskId } from './task.ts'
import type { WorkspaceState } from './workspaces.ts'

export type StageName = string
export type AgentName = string
export type StepId = number

/** What an iteration that ended well means to its stage. */
export type Move =
  /** The stage is finished. */
  | 'pass'
  /** Ended well, not finished: no signal yet, or a finding that is unsure. */
  | 'more'
  /** A check is red. */
  | 'fail'
  /** A judging stage sends the work back. */
  | 'reject'
  /** The agent needs a person. */
  | 'ask'
  /** All tries of the stage are used up. */
  | 'spent'
  /** All rounds of sending back are used up, with green checks. */
  | 'capped'
  /** Nothing changes and the same checks stay red. */
  | 'stuck'

type Target = StageName | 'done' | 'blocked' | 'bugfix'

export type Stage = {
  /** Ralph itself works here, and no agent: a merge has a result, so it is a stage. */
  by?: 'ralph'
  /** Which of the workflow's agents works here. */
  role?: string
  /** What is done here, in words, where people should see it. */
  title?: string
  /** `false`: a task that starts here prepares the list and is not part of it. */
  listed?: false
  /** What finishes it: the agent's signal and green checks, green checks alone, or a verdict and green checks. */
  ends: 'signal' | 'checks' | 'verdict'
  /**
   * It also passes without a signal after this many iterations in a row that changed nothing and left all checks green:
   * the agent finds nothing more to do.
   */
  passesUnchanged?: number
  /** Nothing finishes it: it is repeated until a limit ends the run, whatever the agent says. */
  repeats?: true
  /** A stage that ends by signal may also send the work back. */
  rejects?: true
  /** A red check sends the work back here. Without it that is a `fail`. An opinion is a `fail` wherever there is such a move. */
  failed?: 'reject'
  /** Of the stages with the same word, only one may be in flight at a time. */
  alone?: string
  /** How often a task may stay here. */
  tries: number
  /** How often a task may come here; beyond it, the task is blocked. */
  visits?: number
  on: Partial<Record<Move, Target>>
}

/** How one workflow moves its tasks. */
export type StageTable = {
  name: string
  first: StageName
  /** How many agents may be in flight. If it is more than one, ralph's own stages come on top. */
  width: number
  /** Stages that go before others, most urgent first. */
  order?: StageName[]
  /** How often work may be sent back before the stage is capped. */
  rounds: number
  /** How many bug-fix tasks one task may get. */
  bugs: number
  /** Where bug-fix tasks start, if not at the first stage. */
  bugStage?: StageName
  stages: Record<StageName, Stage>
}

/** The state of one task. */
export type TaskState = {
  stage: StageName | 'done' | 'blocked'
  tries: number
  /** Verdicts given at judging stages. */
  rounds: number
  bugs: number
  /** Interruptions in a row. */
  crashes: number
  /** The last iteration was cut off: the tree may be half-edited. */
  interrupted: boolean
  /** Iterations in a row that changed nothing while the same checks stayed red. */
  stuck: number
  /** Iterations in a row that changed nothing and left all checks green. Absent for none. */
  idleGreen?: number
  /** Iterations in a row about which a check could not decide. Absent for none. */
  undecided?: number
  /** Iterations in a row that changed nothing and said the same, and what they said. Absent for none. */
  idle?: { times: number; said: string }
  visits: Record<StageName, number>
  /** What failed last: it shapes the next prompt. */
  lastRed: Finding[]
  /** Checks were green on the tree as it is now. */
  proof: boolean
  /** Why it is blocked, or how it came to be done other than by passing. */
  why: string
  /** The stage at which a blocked task continues when it is reopened, if not its first. */
  blockedAt?: StageName
}

/** The check name under which a reviewer's note is carried. */
export const REVIEW = 'review'

/** The check name of the doubt that the work is not committed, although it was to be. */
export const COMMIT = 'commit'

/** Why a task is done that no reviewer approved. */
export const AT_CAP = 'approved at the cap'

/** Why a task is done whose agent did not say so. */
export const NOTHING_MORE = 'the agent found nothing more to do'

/** A piece of work in flight. `ended` is set once the agent has exited: from then on a crash repeats only the checks. */
export type Step = {
  id: StepId
  task: TaskId
  stage: StageName
  agent: AgentName | null
  n: number
  at: number
  /** The name of its workspace. Absent for the project. */
  workspace?: string
  /** What its agent may spend. Absent if there is no limit. */
  usd?: number
  ref?: ProcessRef
  ended?: AgentEnding
}

export type Intent = { parent: string | null; message: string; made?: true }

/** What went wrong in a row while an agent worked on a task. */
export type Streak = {
  failures: number
  /** Empty answers. */
  empties: number
  /** Iterations that fell silent and changed nothing. */
  silent: number
  /** Meanwhile the agent did well at another task: the trouble is with this one. */
  elsewhere?: true
}

export type RunState = {
  /** Those of the latest `began`, `resumed` or `limits`. */
  limits: Limits
  /** Iterations that count. */
  n: number
  /** Steps started, for their ids; interrupted ones count too. */
  steps: number
  /** Trouble in a row, by task and agent: tasks beside each other do not count for each other. */
  streaks: Record<TaskId, Record<AgentName, Streak>>
  /** Until when a task waits after a failure. */
  pauses: Record<TaskId, number>
  /** Consecutive limited calls of each agent. */
  waits: Record<AgentName, number>
  /** The first limited call since the last iteration that was not limited. */
  limitedSince: number | null
  /** Tasks that agents added to the list. */
  added: number
  hold: null | 'pause' | 'stop'
  /** Until when an agent is limited. */
  until: Record<AgentName, number>
  /** Agents that cannot be used until somebody resumes the run, and why. */
  unusable: Record<AgentName, string>
  /** Over all incarnations. `estimated`: some of it was estimated. */
  spent: { usd: number; tokens: number; estimated?: true }
  flight: Record<StepId, Step>
  /** Settled, but perhaps not applied. */
  unapplied: Record<StepId, Settled>
  /** Intended commits. One that is not journaled as made may still exist; the repository tells. */
  intents: Record<StepId, Intent>
  taskStates: Record<TaskId, TaskState>
  /** The worktrees of tasks, by the names of their workspaces, until they are closed. */
  workspaces: Record<string, WorkspaceState>
  /** Checks that were red before the first iteration. */
  redBefore: string[]
  /** The tree that checks last ran on, and which were red, by workspace; '' is the project. */
  checked: Record<string, { tree: string; red: string[] }>
  /** What checks counted before the first iteration, by their names. */
  countsBefore: Record<string, number>
  /** Findings that cast doubt on the latest green checks, by workspace; '' is the project. */
  doubts: Record<string, Finding[]>
  /** The user's instructions while it ran. */
  instructions: string[]
  /** Those for one task only, such as the answer to its question. */
  taskInstructions: Record<TaskId, string[]>
  /** The hosts that a sandbox refused, the files that it refused to write, and the hosts that the user allowed since. */
  sandbox: { denied: string[]; refused: string[]; allowed: string[] }
}

/** Null for no such limit. */
export type Limits = {
  iterations: number | null
  failures: number
  crashes: number
  stuck: number
  /** Empty answers that are tried again before one counts as a failure. */
  empties: number
  limitWaitMs: number
  usd: number | null
  tokens: number | null
  ms: number | null
  /** Tasks that agents may add to the list: without it an agent could keep a build from ending. */
  additions: number
}

const NO_LIMITS: Limits = {
  iterations: null,
  failures: Number.POSITIVE_INFINITY,
  crashes: Number.POSITIVE_INFINITY,
  stuck: Number.POSITIVE_INFINITY,
  empties: Number.POSITIVE_INFINITY,
  limitWaitMs: Number.POSITIVE_INFINITY,
  usd: null,
  tokens: null,
  ms: null,
  additions: Number.POSITIVE_INFINITY,
}

/** Before `began`. */
export const initial: RunState = {
  limits: NO_LIMITS,
  n: 0,
  steps: 0,
  streaks: {},
  pauses: {},
  waits: {},
  limitedSince: null,
  added: 0,
  hold: null,
  until: {},
  unusable: {},
  spent: { usd: 0, tokens: 0 },
  flight: {},
  unapplied: {},
  intents: {},
  taskStates: {},
  workspaces: {},
  redBefore: [],
  checked: {},
  countsBefore: {},
  doubts: {},
  instructions: [],
  taskInstructions: {},
  sandbox: { denied: [], refused: [], allowed: [] },
}

/** The state of a task; one that was never worked on is at its first stage. */
export function taskStateOf(table: StageTable, state: RunState, task: Task): TaskState {
  return Object.hasOwn(state.taskStates, task.id)
    ? state.taskStates[task.id]!
    : fresh(task.first ?? table.first)
}

/**
 * The stage alone. Lists can be long, so nothing is allocated for a task that was never worked on, and `hasOwn` comes
 * first: V8 takes three times as long to look up a missing property.
 */
export const stageOf = (table: StageTable, state: RunState, task: Task): TaskState['stage'] =>
  Object.hasOwn(state.taskStates, task.id) ? state.taskStates[task.id]!.stage : (task.first ?? table.first)

const fresh = (stage: StageName): TaskState => ({
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
  why: '',
})

export const isOpen = (stage: TaskState['stage']): boolean => stage !== 'done' && stage !== 'blocked'
