import type { UndoOptions } from '../../../runs/undo.ts'
import { A_RUN, type Verb } from '../verb.ts'

const HELP = `
It shows what it will do and asks. What you had changed before the run stays as you had it; what you changed
afterwards stays, or nothing is done. All that is taken away is kept in a git ref, and the way back is printed.

Examples:
  ralph undo                 the latest run of this folder
  ralph undo k3f --yes

Exit codes: 0 · 1 you said no · 2 bad usage, something in the way, or nobody there to ask`

export const undo: Verb = {
  name: 'undo',
  summary: 'Put everything back to what it was when a run began. Asks first.',
  define: (command, { finish, io }) =>
    command
      .argument('[run]', A_RUN)
      .option('-y, --yes', 'do not ask')
      .option('--force', 'also where something was changed after the run')
      .option('-C, --project-dir <dir>', 'the project', '.')
      .addHelpText('after', HELP)
      .action(async (name: string | undefined, options: UndoOptions) => {
        const { undoRun } = await import('../../actions.ts')
        finish(await undoRun(name, options, io))
      }),
}
