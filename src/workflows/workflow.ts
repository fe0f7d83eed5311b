import type { UserAccess } from '../core/asker.ts'
import type { Claimed, Finding, RunEvent, Settled, TodoItem } from '../core/events.ts'
import type { Folded } from '../core/evolve.ts'
import type { Check, CheckedWork, Claims, Work } from '../core/ports.ts'
import type { Limits, StageTable } from '../core/table.ts'
import type { Edit, Task, TaskId } from '../core/task.ts'
import type { Workspace } from '../core/workspaces.ts'
import type { LockWait } from '../git/locks/lasting.ts'
import type { Session } from '../store/session.ts'
import type { Reviewed } from '../view/report/format.ts'
import type { Style } from '../view/style.ts'
import type { RunSpec } from './spec.ts'

/**
 * One kind of loop: everything in which `ralph run`, `ralph build`, `ralph stories` and `ralph pipeline` differ.
 * The registry in `index.ts` maps names to these, and nothing outside this folder knows a name.
 */
export interface Workflow<S extends RunSpec = RunSpec> {
  /** The name on disk, in `began.workflow`. */
  name: string
  /** The command that starts it, after `ralph`. */
  command: string
  /** Whether it has a task list that people see and may edit. */
  listed: boolean
  /** Reads and validates the spec in a journal. Keeps unknown keys; throws a UsageError if something is missing. */
  readSpec(pins: Record<string, unknown>): S
  /** The part of a spec that the first event keeps. */
  pins(spec: S): Record<string, unknown>
  table(spec: S): StageTable
  /** What the header, the dry run and the verbose lines say about a run. `run` is its present state. */
  describe(spec: S, limits: Limits, run?: Folded): Description
  /** What the dry run shows: the prompt, or the list. */
  preview(spec: S, limits: Limits): string
  /** What people should know before the first iteration. */
  warnings?(spec: S, limits: Limits): string[]
  /** What session.json says about the work. */
  about(spec: S): Record<string, unknown>
  /** For a worker's state file. Absent if there is no prompt file and no pattern. */
  loop?(spec: S): { promptFile: string | null; donePattern: string | null; isDoneByPattern: boolean }
  /** What must hold for a task to be done, in addition to its checks. One line for each. */
  criteria?(spec: S, task: Task): string[]
  /** The file of its list, which people may edit, and its reader. That gives null while the file holds no valid list. */
  listFile?(spec: S, id: string): { path: string; read(text: string): readonly TodoItem[] | null }
  /** Protected files in addition to those of every run. */
  protectedAreas(spec: S): ProtectedArea[]
  /** Lines to print at the end of a run, after its list. */
  summary?(spec: S, run: Folded, style: Style, id: string): string[]
  /** More facts for `ralph status`, for programs and for people. */
  details?(events: readonly RunEvent[]): { data: readonly unknown[]; lines: string[] }
  /** How often each task was reviewed. Absent if the workflow has no reviews. */
  reviews?(spec: S, run: Folded): Reviewed[]
  /** What reviews found outside of their tasks. */
  followUps?(events: readonly RunEvent[]): { task: string; text: string }[]
  /** The command that answers the question of a blocked task. */
  answerCommand?(id: string): string
  /** The commands by which a person decides about a task that is left for them. */
  decideCommands?(run: string, task: string): string[]
  /** After an undo: makes files of its own follow that git may not know. Safe to repeat. */
  onUndone?(spec: S): void
  open(context: Context<S>): Active
}

/** A workflow in one hosted run. */
export interface Active {
  /** The tasks and edits that a new run begins with. */
  initialTasks(at: number): { tasks: Task[]; edits: RunEvent[] }
  /** Records what people changed in the list. Called only while nothing is in flight. */
  adoptEdits(): Promise<void>
  /** Turns a request from outside into an edit of the list. */
  onRequest?(request: unknown): Edit | { error: string }
  /** Where to work on a task: gives the name of its workspace, its path from the project. Undefined means the project itself. */
  chooseWorkspace?(task: Task): string | undefined | Promise<string | undefined>
  /** Does the work of one of ralph's own stages, for example a merge. The stage's checks run next. Safe to repeat. */
  act?(work: Work, record: Recorder): Promise<Finding[]>
  /** The checks of such a stage are green: does what they were for. Safe to repeat. */
  complete?(work: Work): Promise<Finding[]>
  /** Builds the prompt of a step before it begins. Throws CannotGoOn if the step must not begin. */
  buildPrompt(work: Work): string | Promise<string>
  /** The agent of a step is about to start. */
  onAgentStart?(work: Work): void | Promise<void>
  /** Environment variables for the agent and its hooks. */
  env?(work: Work): Record<string, string>
  /** What the agent wrote about its work. Read once, before a check can write anything. */
  claimsAtExit?(work: Work): Promise<Claimed>
  /** The checks of a step, mostly those of its workspace. Without a step, those of the baseline. */
  checks(work: CheckedWork): Check[]
  /** What the agent claimed. Called after the checks; safe to repeat. */
  claims(work: Work, text: string): Promise<Claims>
  /** Updates the workflow's own files after a step was settled. `workspace` is null once it was removed. Safe to repeat. */
  apply(settled: Settled, record: Recorder, workspace: Workspace | null): void | Promise<void>
  /** Called when a run is resumed, before anything else happens in it. */
  onResume?(): void
  /** The run is about to stop: judges what agents wrote, so that what differs later is a person's edit. */
  onLeave?(): Promise<void>
  /** Gets every event, after it was recorded. */
  onEvent?(event: RunEvent): void
  /** Whether the run stopped where it should, although there is more to do. */
  stoppedAsPlanned?(): boolean
  /** Removes what must not outlive the process. Synchronous, and safe to repeat. */
  close?(): void
}

/** What a workflow gets from the host for one run. */
export type Context<S extends RunSpec = RunSpec> = {
  spec: S
  table: StageTable
  limits: Limits
  session: Session
  /** The run's own folder. */
  runDir: string
  /** The environment for ralph's own git calls. */
  env: Record<string, string>
  /** The journal as it was when this process started or resumed the run. */
  past: readonly RunEvent[]
  /** All events recorded so far. */
  journal(): readonly RunEvent[]
  /** The person at the terminal. Null if there is nobody to ask. */
  user: UserAccess | null
  /** The run now: a workflow reads it, only the engine changes it. */
  run(): Folded
  record: Recorder
  /** Keeps a value of the workflow's own in the journal, for the run or for a task. `shared/notes.ts` reads it. */
  note(key: string, value: unknown, task?: TaskId): void
  /** Stops the run as Ctrl+C does, because the person who was asked went away. */
  interrupt(): void
  /** How to wait for git's locks in the project. */
  locks(): LockWait
  /** The worktrees of the tasks. Call it only in a run whose spec has `worktrees`. */
  worktrees(): Worktrees
}

/** Worktrees of tasks, each on a branch of its own. */
export interface Worktrees {
  /** The name of a task's workspace. Its worktree is made when it is first asked for, from the tip of the branch that the run began on. */
  open(task: Pick<Task, 'id'>): Promise<string>
  /** Commits what is in the folder of a step and puts it onto the tip. The checks come next, then `land`. Safe to repeat. */
  merge(work: Work, message: string): Promise<Finding[]>
  /** Moves the branch that the run began on to what was checked. Safe to repeat. */
  land(work: Work): Promise<Finding[]>
}

export type Recorder = (event: RunEvent) => void

/** Globs below a root. */
export type ProtectedArea = { root: string; globs: string[] }

type Description = {
  /** What the run works on, and its name. */
  subject: [kind: string, name: string]
  /** When the run is done, as a text. */
  doneWhen: string
  /** The name of the condition in the verbose lines. Null if there is no condition. */
  condition: string | null
  /** An estimate of the work, if the workflow can give one. */
  estimate: string | null
  /** What verifies the work where the project has no checks. Absent if nothing does. */
  verifiedBy?: string
}
