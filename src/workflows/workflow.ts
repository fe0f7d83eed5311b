import type { UserAccess } from '../core/asker.ts'
import type { Claimed, Finding, RunEvent, Settled } from '../core/events.ts'
import type { Check, Claims, Work } from '../core/ports.ts'
import type { Limits, RunState, StageTable } from '../core/table.ts'
import type { Edit, Task } from '../core/task.ts'
import type { Session } from '../store/session.ts'
import type { Style } from '../view/style.ts'
import type { RunSpec } from './spec.ts'

/**
 * One kind of loop: everything that makes `ralph run` differ from `ralph build` or `ralph stories`.
 * The registry in `index.ts` maps names to these, and nothing outside this folder knows a name.
 */
export interface Workflow<S extends RunSpec = RunSpec> {
  /** As it is on disk, in `began.workflow`. */
  name: string
  /** The command that starts it, after `ralph`. */
  command: string
  /** Whether it has a task list that people see and may edit. */
  listed: boolean
  /** Whether protected files are put back after the checks, too: the code under review must not change its own review. */
  guardsChecks: boolean
  /** The spec that a journal keeps, by its shape. Unknown keys are kept; what is missing throws a UsageError. */
  readSpec(pins: Record<string, unknown>): S
  /** What the first event keeps of a spec. */
  pins(spec: S): Record<string, unknown>
  table(spec: S): StageTable
  /** What the header, the dry run and the verbose lines say of it. `run`: as far as it has come. */
  describe(spec: S, limits: Limits, run?: Folded): Description
  /** The work as the dry run shows it: the prompt, or the list. */
  preview(spec: S, limits: Limits): string
  /** Fields of session.json about the work. */
  about(spec: S): Record<string, unknown>
  /** Protected files besides those of every run: globs below a root of their own. */
  protectedAreas(spec: S): ProtectedArea[]
  /** Lines at the end of a run, after its list. */
  summary?(spec: S, run: Folded, style: Style): string[]
  /** The command that answers the question of a blocked task. */
  answerCommand?(id: string): string
  open(context: Context<S>): Active
}

/** A workflow at work in one run. */
export interface Active {
  /** What a new run begins with. */
  initialTasks(at: number): { tasks: Task[]; edits: RunEvent[] }
  /** What people changed in the list. Called only while nothing is in flight. */
  adoptEdits(): Promise<Extract<RunEvent, { type: 'edited' }>[]>
  /** A request from outside about the list. */
  onRequest?(request: unknown): Edit | { error: string }
  /** Which folder a task is worked on in, as seen from the project; undefined: the project itself. */
  workspaceFor?(task: Task): string | undefined
  /** Does the work of a stage that ralph itself does, for example a merge. Safe to repeat. */
  act?(work: Work, record: Recorder): Promise<Finding[]>
  /** The prompt of a step, before it begins; may commit. Throws CannotGoOn where the step must not begin. */
  buildPrompt(work: Work, record: Recorder): string | Promise<string>
  /** The agent of a step is about to start. */
  onAgentStart?(work: Work): void | Promise<void>
  /** Variables that its agent and its hooks get. */
  env?(work: Work): Record<string, string>
  /** What the agent has written about its work, read once, before checks could write. */
  claimsAtExit?(work: Work): Promise<Claimed>
  /** The checks of a step, out of those that every step has; without a step, those of the baseline. */
  checks(work: Pick<Work, 'stage' | 'task'> & { step?: Work['step'] }, common: Check[]): Check[]
  /** What the agent claimed, asked after the checks. Safe to repeat. */
  claims(work: Work, text: string): Promise<Claims>
  /** Makes the workflow's own files follow what was settled. Safe to repeat. */
  apply(settled: Settled, record: Recorder): void | Promise<void>
  /** A run is resumed; called before the first decision. */
  onResume?(): void
  /** The run is about to stop: judges what agents wrote, so that what differs later is a person's edit. */
  onLeave?(): Promise<void>
  /** Gets every event, after it was recorded. */
  onEvent?(event: RunEvent): void
  /** The run stopped where it was meant to, though there is more to do. */
  stoppedAsPlanned?(): boolean
  /** Removes what must not outlive the process. Synchronous, and safe to repeat. */
  close?(): void
}

/** What a workflow gets to work with in one run. */
export type Context<S extends RunSpec = RunSpec> = {
  spec: S
  table: StageTable
  limits: Limits
  session: Session
  /** The run's own folder. */
  runDir: string
  /** For ralph's own git calls. */
  env: Record<string, string>
  /** The journal as it was when this process started to host the run. */
  past: readonly RunEvent[]
  /** All events that are on record by now. */
  journal(): readonly RunEvent[]
  /** null: nobody can be asked. */
  user: UserAccess | null
  /** The run now: a workflow reads it, only the engine changes it. */
  run(): Folded
  record: Recorder
  /** The user left: stops as on Ctrl+C. */
  interrupt(): void
}

/** The tasks and the state of a run, folded from its journal. */
export type Folded = { readonly tasks: readonly Task[]; readonly state: RunState }

export type Recorder = (event: RunEvent) => void

export type ProtectedArea = { root: string; globs: string[] }

type Description = {
  /** What is worked on, and what it is called. */
  subject: [kind: string, name: string]
  /** When the run is done, in words. */
  until: string
  /** What the verbose lines call the condition; null: there is nothing to reach. */
  condition: string | null
  /** What it may take, where the workflow can tell. */
  estimate: string | null
}
