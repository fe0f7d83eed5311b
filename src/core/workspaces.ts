import type { Finding, RunEvent } from './events.ts'
import type { Check, Work } from './ports.ts'
import type { RunState, Step, StepId } from './table.ts'
import type { TaskId } from './task.ts'
import type { Criterion } from './verification/method.ts'

/** Where a step works: the project, or the worktree of a task. One step holds it at a time. */
export interface Workspace {
  /** Its path. */
  dir: string
  /** Before an agent starts: notes how protected files and the tree are now. */
  beforeAgent(): Promise<void>
  /** After it has exited: ends what it left running, puts back what it must not change, and removes locks of a killed git. */
  afterAgent(step: Step): Promise<void>
  /** Before the first checks of a run, when no step is in flight: notes how protected files are now. */
  beforeFirstChecks(): void
  /** The checks that every step here has. */
  checks(): Check[]
  /** The checks of a workflow's own criteria. */
  verify(criteria: readonly Criterion[]): Check[]
  /** What casts doubt on what the checks said, or makes the iteration red although they are green. Safe to repeat. */
  doubts(state: RunState, findings: readonly Finding[]): Promise<Finding[]>
  /** The tree as it is now, to compare the work with later. Null outside a repository. */
  snapshot(): Promise<string | null>
  /** What changed since such a tree, as `git diff` shows it. Null outside a repository. */
  diff(since: string): Promise<string | null>
  /** Makes the files as they were in such a tree. Returns those that were not. */
  putBack(tree: string): Promise<string[]>
  /** A short text that changes when files do. Null if there is no way to know. */
  fingerprint(): Promise<string | null>
  /** The files that differ between the last two fingerprints. */
  changedFiles(): Promise<string[]>
  /** Whether files changed since the step here began. Null if there is no way to know. */
  changedInStep(): Promise<boolean | null>
  /** Journals what a step changed. */
  recordChanges(step: Pick<Step, 'id'>): Promise<void>
  /**
   * The checks of a step are green: prepares what `apply` will do, which may call an agent (for a commit message). What it
   * finds wrong counts like a check. Safe to repeat.
   */
  prepareApply(work: Pick<Work, 'step' | 'state'>): Promise<Finding[]>
  /** Records a workflow's events. Its commits count as ralph's, not as the agent's. */
  noteCommits(record: (event: RunEvent) => void): (event: RunEvent) => void
}

/** The workspace of a task: a worktree of its own, or a folder in it. */
export type WorkspaceState = {
  task: TaskId
  /** The path of the worktree. */
  dir: string
  branch: string
  /** The commit that the task's work comes after. */
  base: string
  /** Its repository when it was opened. Absent if nobody has worked in it. */
  start?: Record<string, unknown>
  /** Where its branch ended when it was last looked at, if not at its base. */
  tip?: string
  /** The merge that began last: the commits that it brings together and, once they are, where the branch goes. */
  merging?: { id: StepId; onto: string; tip: string; to?: string }
  /** The commit with both sides of a conflict, and the paths that conflict. */
  conflict?: { commit: string; paths: readonly string[] }
  landing?: { id: StepId; from: string; to: string }
  merged?: { from: string; to: string }
}

/** What happens to the worktree of a task, and to the branch in it, in this order. */
export type WorkspaceEvent =
  /** About to make the worktree of a task, on a new branch, which begins at the commit `base`. */
  | { type: 'opening'; workspace: string; task: TaskId; dir: string; branch: string; base: string }
  /** It can be worked in. `start`: its repository as it was then. */
  | { type: 'opened'; workspace: string; start: Record<string, unknown> }
  /** About to put the branch of a workspace, which ends at `tip`, onto the commit `onto`. */
  | { type: 'merging'; id: StepId; workspace: string; onto: string; tip: string }
  /** The commit `tip` has both, however they were merged; next the branch goes there. `conflict`: it has both sides of these paths, for an agent to resolve. */
  | { type: 'rebased'; id: StepId; workspace: string; base: string; tip: string; conflict?: string[] }
  /** About to move the branch that the run began on, from the first commit to the second. */
  | { type: 'landing'; id: StepId; workspace: string; from: string; to: string }
  /** That branch has the work. */
  | { type: 'merged'; id: StepId; workspace: string; from: string; to: string }
  /** All work in it was proven to be merged, and it is removed with its branch. */
  | { type: 'closed'; workspace: string }
