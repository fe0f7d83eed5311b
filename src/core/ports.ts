import type {
  AgentEvent,
  Claimed,
  Exit,
  Finding,
  Outcome,
  PassingEvent,
  ProcessRef,
  Sender,
  Settled,
  Watched,
} from './events.ts'
import type { AgentName, RunState, StageName, Step, StepId } from './table.ts'
import type { Edit, Task, TaskId } from './task.ts'
import type { CommandRuns } from './verification/finding.ts'
import type { Workspace } from './workspaces.ts'

/** The environment of a process. */
export type Env = Record<string, string>

/** What an agent is asked: everything its argv may depend on. */
export type Ask = {
  prompt: string
  model: string | null
  /** The user's own flags, already split into words. */
  flags: string[]
  /** `stream`: structured events as they happen. `text`: the final answer only. */
  mode: 'stream' | 'text'
  /** What may still be spent, for CLIs that can enforce it. */
  budgetUsd: number | null
  /** Whether it runs as root (some CLIs refuse their bypass flag then), and whether in a sandbox, where no other works. */
  root: boolean
  confined?: boolean
  /** The folder of ralph's own plugin, for a CLI that takes it. */
  plugin?: string | null
  /** The marks by which ralph and its hooks find its processes, for a CLI whose environment a project could change. */
  marks?: Readonly<Record<string, string>>
  /** Whether the agent may leave tasks running in the background and take another turn when one ends. */
  backgroundTasks?: boolean
  /** What the agent would look up with its tools: a CLI that can turn them off gets this instead. */
  withoutTools?: string
  /** It only answers: no tools, no configuration of the project or the user, if the CLI can leave that out. */
  isolated?: true
  /** The schema of the answer, for a CLI that takes one, and a file that holds it. */
  schema?: { text: string; path: string }
  /** Tools that the agent must not have, by the names of its CLI. */
  disallowedTools?: readonly string[]
}

/** What a binary can do, by its own help; an unknown one gets the measured defaults. */
export type Capabilities = { version: string | null; flags: ReadonlySet<string> | null }

/** A process to start. */
export type Command = {
  argv: string[]
  cwd: string
  /** The whole environment, already filtered; the runner adds its mark. */
  env: Env
  /** Written to standard input, which is then closed. Always closed, also when empty. */
  stdin: string
  /** It prints for people to read, so it may run on a screen that they can look at. */
  plain?: true
  /** It stays outside of a sandbox; or in one, it may reach the hosts that checks may reach. */
  unconfined?: true
  online?: true
  /** Small files outside the project that it reads, by path: a sandbox with files of its own needs them inside. */
  files?: Readonly<Record<string, string>>
}

/** A coding-agent CLI. Pure: it builds commands and parsers, and starts nothing. */
export interface Agent {
  name: AgentName
  /** It prints for people to read; there is no stream of events. */
  plain?: true
  /** The flag that lets it work without asking, for the hint after a refusal. */
  bypass?: string
  /** The program and its arguments; the prompt goes to stdin. `env` are additions. */
  command(ask: Ask, able: Capabilities): { argv: string[]; env: Env; stdin: string }
  /** What its output reports of a call: its cost (and tokens), its tokens alone, or neither. */
  reports(mode: Ask['mode']): 'cost' | 'tokens' | null
  /** Its small model, which is good enough to judge. */
  smallModel?: string
  /** Where an answer by a schema is: apart from the text, or the text itself. Null if this version takes no schema. */
  schemaAnswer?(able: Capabilities): 'apart' | 'text' | null
  /**
   * When it last wrote to a log of its own, of a call that began in this folder since a time. Null if it did not. It shows
   * that an agent is at work which prints nothing. Times are in ms since the epoch.
   */
  lastWritten?(cwd: string, env: Env, since: number): number | null
  /** A fresh reader for one iteration. */
  parser(mode: Ask['mode']): Parser
}

/** What a coding-agent CLI needs of the world outside its project. Paths are relative to the user's home. */
export type Needs = {
  /** The hosts of its model, also as `*.example.com`, and variables that hold the address of another model. */
  hosts: readonly string[]
  addresses: readonly string[]
  /** The files and folders that it writes. `logins` are those that hold credentials. */
  state: readonly string[]
  logins: readonly string[]
  /** Hosts, and files as `~/…`, that it tries and does without: nobody is asked about them. Patterns with `*`. */
  chatter: readonly string[]
}

/**
 * Reads one iteration's output. Never throws, whatever the line holds.
 * Over `line` and `end` together it yields exactly one `ended`, and yields it last.
 */
export interface Parser {
  line(line: string): AgentEvent[]
  /**
   * The process has exited or was stopped: supplies `ended` if the stream had none.
   * `complaint` is the last line of its standard error.
   */
  end(exit: Exit, complaint?: string): AgentEvent[]
}

/** What a runner hands over while a process runs. */
export type Sink = {
  /**
   * One line of standard output, without its newline, as text. Lines over the size limit come cut, marked by `cut`.
   * `echo`: it repeats a line of the standard input. Only some runners look for that.
   */
  line(line: string, cut: boolean, echo?: boolean): void
  /** The raw bytes of standard output, before they are split: for the stream file. Must not keep the buffer. */
  bytes(chunk: Uint8Array): void
  /** Standard error as it comes. */
  error(chunk: Uint8Array): void
  /** It seems to be at work: it printed, or its screen has changed. */
  activity?(watched: Watched): void
  /** Called after each of them. If it returns a promise, nothing more is read until it resolves, unless the process has exited. */
  backPressure?(): Promise<void> | null
}

export interface Live {
  ref: ProcessRef
  /** How one sees whether it is at work. Absent if its output shows that. */
  watched?: Watched
  /** Resolves when the process has exited and its output was read, without waiting for a pipe that others hold. */
  exit: Promise<Exit>
  /** Ends the whole tree: TERM to the group, the grace period, then KILL, found by group, ancestry and mark. */
  stop(): Promise<void>
  /** After the exit: ends what it left running, and nothing of the step's other processes that have not exited. */
  sweep(): Promise<void>
}

/**
 * Where processes run. Starting one that does not exist rejects with a sentence that names it; where none can be
 * started at all, it rejects with CannotGoOn.
 */
export interface Runner {
  start(command: Command, id: StepId, sink: Sink): Promise<Live>
  /** Ends what crashed incarnations left running: these and all else of theirs, never an unrelated process with a reused pid. */
  reap(refs: readonly ProcessRef[]): Promise<void>
  /** Ends everything that is left of this step, and of steps before it: all of the run but the other steps under way. */
  sweep(id: StepId): Promise<void>
}

/** One step as the adapters see it, with the folder that it works in. */
export type Work = { step: Step; task: Task; stage: StageName; state: RunState; workspace: Workspace }

/** What checks are chosen for. Without a step: the baseline, before the first. */
export type CheckedWork = Pick<Work, 'stage' | 'task' | 'workspace'> & { step?: Step }

/** Something ralph runs to verify. If it fails itself, that is a finding too; it throws only CannotGoOn. */
export interface Check {
  name: string
  /** It judges the tree alone, so on the same tree it should say the same. */
  ofTree?: true
  /** It is expensive: it runs only if all other checks are green. */
  afterGreen?: true
  /** `work` is null for the baseline, before the first iteration. */
  run(work: CheckWork | null, signal: AbortSignal): Promise<{ finding: Finding; exit: Exit | null }>
}

/** What a check may look at: the step and its task, and the agent's final text. */
export type CheckWork = {
  step: Step
  task: Task
  text: string
  /** What ran in this pass already. Absent if nobody can tell whether the tree stays the same. */
  runs?: CommandRuns
}

/** The clock and the only timer the engine uses. */
export interface Clock {
  /** The time of day, in ms since the epoch. Somebody may set it back or forward. */
  now(): number
  /** Monotonic milliseconds, for durations. Time in which ralph itself did not run does not count. */
  elapsed(): number
  /** Calls back once, at or after `ms`, whether ralph ran or not; returns what cancels it. */
  after(ms: number, callback: () => void): () => void
}

/** What the engine gets from a running agent. */
export type AgentListener = {
  event(event: AgentEvent): void
  /** There was output of any kind, its screen has changed, or its hooks said something: the agent is not silent. */
  activity(watched: Watched | 'hooks'): void
}

/** A running agent; `end` gives its parser's last events once it has exited. */
export type RunningAgent = {
  live: Live
  end(exit: Exit): AgentEvent[]
  /** When it last wrote to a log of its own, in ms since the epoch. Null if it did not. Lets the listener hear its hooks first. */
  lastWritten?(): number | null
}

/**
 * What people ask of a live run. `retry`: do not wait any longer. `drop`: give one task up. `limit`: another number of
 * iterations; `by`: an edit of the worker's state file. `allow`: a host that the sandbox refused. `todo`: the workflow
 * reads the request.
 */
export type Control =
  | { type: 'pause' | 'resume' | 'cancel' | 'retry' }
  | { type: 'drop'; task: TaskId }
  | { type: 'tell'; text: string; task?: TaskId }
  | { type: 'limit'; iterations: number; by?: 'file' }
  | { type: 'allow'; host: string }
  | { type: 'todo'; request: unknown }

/** A request, its name and who sent it, if that is known. */
export type Request = { id: string; control: Control; from?: Sender }

/** Requests from outside, oldest first. */
export interface Controls {
  /** Those not handled yet. */
  pending(): Request[]
  /** This one is journaled and may be removed. */
  done(id: string): void
  /** Calls back whenever there may be new ones, until it is cancelled. */
  onChange(callback: () => void): () => void
}

/** Everything the engine needs from outside. Fakes of these run it in memory. */
export interface Ports {
  clock: Clock
  /** Shows a passing event to those who watch. */
  emit(event: PassingEvent): void
  controls: Controls
  /** Which agents may work at a stage, in order of preference. */
  agentsFor(stage: StageName): readonly AgentName[]
  /** The prompt of a step, before it begins. Throws CannotGoOn if there can be none. */
  buildPrompt(work: Work): Promise<string>
  /** Starts the agent on a step. Rejects if it cannot be started: that is the agent's failure, except for CannotGoOn, which stops the run. */
  call(work: Work, prompt: string, listener: AgentListener): Promise<RunningAgent>
  /**
   * Where a task is worked on: gives the name of its workspace, undefined for the project. It is made when it is first
   * asked for. One step holds a workspace at a time.
   */
  chooseWorkspace?(task: Task): string | undefined | Promise<string | undefined>
  /** The workspace of this name. After one of ralph's own stages it may be another than before. */
  workspaceOf(name: string | undefined): Promise<Workspace>
  /** Ends what crashed incarnations left running. */
  reap: Runner['reap']
  /** Does the work of a stage that ralph itself does, for example a merge. Safe to repeat. */
  act?(work: Work): Promise<Finding[]>
  /** The checks of such a stage are green: does what they were for. Safe to repeat. */
  complete?(work: Work): Promise<Finding[]>
  checks(work: CheckedWork): Check[]
  /** How many of them may run side by side. */
  checksAtOnce: number
  /** What the agent has written about its work; asked once, after it has exited and before any check runs. */
  claimsAtExit?(work: Work): Promise<Claimed>
  /** What the agent claimed beyond its exit: signal, verdict, question. */
  claims(work: Work, text: string): Promise<Claims>
  /** Records the edits that people made while nothing was in flight, before the next decision. */
  adoptEdits(): Promise<void>
  /** The edit that a person's request about the list means now, or why there is none. Absent if there is no such list. */
  onRequest?(request: unknown): Edit | { error: string }
  /** Before the run stops: judges what agents have written, so that later differences are people's edits. */
  onLeave?(): Promise<void>
  /** Makes the files follow what was settled: lists, progress notes, SCM. Safe to repeat. */
  apply(settled: Settled): Promise<void>
}

/** What an agent claimed about its task, in files (`Claimed`) or in its final text. The checks decide whether it counts. */
export type Claims = Pick<Extract<Outcome, { end: 'ok' }>, 'signal' | 'verdict' | 'note' | 'asks' | 'yields'>

/** The run cannot go on now, but nothing is lost: it can be resumed once the cause is removed. */
export class CannotGoOn extends Error {
  override name = 'CannotGoOn'
}

/** Calls back once ralph itself has run for `ms`: a timer alone also counts time in which ralph was suspended. */
export function afterRunning(clock: Clock, ms: number, callback: () => void): () => void {
  const due = clock.elapsed() + ms
  let cancel = clock.after(ms, function look() {
    const left = due - clock.elapsed()
    if (left > 0) cancel = clock.after(left, look)
    else callback()
  })
  return () => cancel()
}
