import type { StepId } from '../table.ts'
import type { TaskId } from '../task.ts'

/** A folder of a task's own. */
export type WorkspaceState = {
  task: TaskId
  /** The worktree. The workspace may be a folder in it. */
  dir: string
  branch: string
  /** The commit that the task's work comes after. */
  base: string
  /** Its repository when it was opened; absent: nobody has worked in it. */
  start?: Record<string, unknown>
  /** Where its branch ended when it was last looked at; absent: at its base. */
  tip?: string
  /** The merge that began last: the commits that it brings together and, once they are, where the branch goes. */
  merging?: { id: StepId; onto: string; tip: string; to?: string }
  /** The commit with both sides of a conflict, and the paths that conflict. */
  conflict?: { commit: string; paths: readonly string[] }
  landing?: { id: StepId; from: string; to: string }
  merged?: { from: string; to: string }
}
