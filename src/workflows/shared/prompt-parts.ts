import type { RunState } from '../../core/table.ts'
import type { TaskId } from '../../core/task.ts'

/** The user's instructions for a task: those for all tasks, then its own. */
export const instructionsFor = ({ instructions, taskInstructions }: RunState, task: TaskId): string[] => [
  ...instructions,
  ...(Object.hasOwn(taskInstructions, task) ? taskInstructions[task]! : []),
]

/** Why green checks prove nothing in this workspace now: every prompt there says so until it is put right. */
export const doubtNotes = ({ doubts }: Pick<RunState, 'doubts'>, workspace = ''): string[] =>
  (Object.hasOwn(doubts, workspace) ? doubts[workspace]! : []).map(({ note }) => note)

/** For the first prompt after an interruption: the last agent may have left half-finished edits. */
export const HALF_EDITED =
  'Note: the previous iteration was interrupted. The working tree may be half-edited; look at it before you go on.'

/** `Iteration 3 of 10, 7 remaining.` Without a limit it is only `Iteration 3.` */
export const countLine = (n: number, of: number | null): string =>
  of === null ? `Iteration ${n}.` : `Iteration ${n} of ${of}, ${Math.max(of - n, 0)} remaining.`
