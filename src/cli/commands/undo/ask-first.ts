import { UsageError } from '../../../core/usage-error.ts'
import { type Io, say } from '../../../runs/io.ts'
import { type UndoOptions, undoRun as undo } from '../../../runs/undo.ts'
import { askConfirmation } from '../../../terminal/question.ts'
import { workflows } from '../../../workflows/index.ts'

/** Undoes a run, once the user at the terminal has seen the plan and agrees. */
export async function undoRun(
  name: string | undefined,
  options: UndoOptions,
  { stdout, env }: Io,
): Promise<number> {
  const { code, lines, revert } = await undo(workflows, name, options, env, async plan => {
    for (const line of plan) say(stdout, line)
    if (options.yes) return true
    if (!process.stdin.isTTY || !process.stderr.isTTY)
      throw new UsageError('undo asks first and needs a terminal; without one use --yes')
    return askConfirmation('Undo it?')
  })
  for (const line of lines) say(stdout, line)
  if (revert !== undefined) stdout.write(`  ${revert}\n`)
  return code
}
