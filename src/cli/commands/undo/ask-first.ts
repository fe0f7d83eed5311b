import { UsageError } from '../../../core/usage-error.ts'
import type { Io } from '../../../runs/io.ts'
import { type UndoOptions, undoRun as undo } from '../../../runs/undo.ts'
import { askConfirmation } from '../../../terminal/question.ts'
import { workflows } from '../../../workflows/index.ts'

/** Undoes a run, once the user at the terminal agrees. */
export const undoRun = (name: string | undefined, options: UndoOptions, io: Io): Promise<number> =>
  undo(workflows, name, options, io, async () => {
    if (!process.stdin.isTTY || !process.stderr.isTTY)
      throw new UsageError('undo asks first and needs a terminal; without one use --yes')
    return askConfirmation('Undo it?')
  })
