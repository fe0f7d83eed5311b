import { Option } from 'commander'
import type { GcOptions } from '../../runs/gc.ts'
import { zeroOrMore } from './numbers.ts'
import { PROJECT_DIR, type Verb } from './verb.ts'

const HELP = `
The newest runs are kept. Of older runs only the receipt is kept: \`ralph report\` still shows it, but you cannot diff or undo them. Runs that are active or not finished are never deleted. Ralph asks before it deletes a run that ended at a limit, because it could be resumed.

Examples:
  ralph gc --dry-run         what would be deleted
  ralph gc --keep 5          of this project's runs
  ralph gc --all             of every project's

Exit codes: 0 · 2 bad usage`

export const gcVerb: Verb = {
  name: 'gc',
  summary: 'Delete the prompts, streams and logs of old runs; their receipts are kept.',
  define: (command, { finish, io }) =>
    command
      .addOption(
        new Option('--keep <n>', 'keep this many of the newest runs').argParser(zeroOrMore).default(20),
      )
      .option('--all', 'of every project, not only of this project')
      .option('--yes', 'delete runs that can be resumed without asking')
      .option('--dry-run', 'only show what would be deleted')
      .option(...PROJECT_DIR)
      .addHelpText('after', HELP)
      .action(async (options: GcOptions) => {
        const { collectGarbage } = await import('../actions.ts')
        finish(await collectGarbage(options, io))
      }),
}
