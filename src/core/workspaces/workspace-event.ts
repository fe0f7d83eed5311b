import type { StepId } from '../table.ts'
import type { TaskId } from '../task.ts'

/** What happens to a folder of a task's own, and to the branch in it, in this order. */
export type WorkspaceEvent =
  /** About to make a folder of a task's own: a worktree on a new branch, which begins at the commit `base`. */
  | { type: 'opening'; workspace: string; task: TaskId; dir: string; branch: string; base: string }
  /** It can be worked in. `start`: its repository as it was then. */
  | { type: 'opened'; workspace: string; start: Record<string, unknown> }
  /** About to put the branch of a workspace, which ends at `tip`, onto the commit `onto`. */
  | { type: 'merging'; id: StepId; workspace: string; onto: string; tip: string }
  /** The commit `tip` has both; next the branch goes there. `conflict`: it has both sides of these paths, for an agent to resolve. */
  | { type: 'rebased'; id: StepId; workspace: string; base: string; tip: string; conflict?: string[] }
  /** About to move the branch that the run began on, from the first commit to the second. */
  | { type: 'landing'; id: StepId; workspace: string; from: string; to: string }
  /** That branch has the work. */
  | { type: 'merged'; id: StepId; workspace: string; from: string; to: string }
  /** Everything in the folder was proven to be merged, and it is removed with its branch. */
  | { type: 'closed'; workspace: string }
