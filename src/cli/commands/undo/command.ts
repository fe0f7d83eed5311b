import type { UndoOptions } from '../../../runs/undo.ts'
import { PROJECT_DIR, RUN_ARGUMENT, type Verb } from '../verb.ts'

const HELP = `
It shows what it will do and asks. What you changed before the run stays as it was. If it would touch what you changed after the run, it does nothing. Everything it removes is kept in a git ref, and it prints how to get it back.

Examples:
  ralph undo                 the latest run of this project
  ralph undo k3f --yes

Exit codes: 0 · 1 you said no · 2 bad usage, something in the way, or no terminal to ask on`

export const undoVerb: Verb = {
  name: 'undo',
  summary: 'Put everything back as it was when a run began; asks first.',
  define: (command, { finish, io }) =>
    command
      .argument('[run]', RUN_ARGUMENT)
      .option('-y, --yes', 'do not ask')
      .option('--force', 'even if something was changed after the run')
      .option(...PROJECT_DIR)
      .addHelpText('after', HELP)
      .action(async (name: string | undefined, options: UndoOptions) => {
        const { undoRun } = await import('../../actions.ts')
        finish(await undoRun(name, options, io))
      }),
}
