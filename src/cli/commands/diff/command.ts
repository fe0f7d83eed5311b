import { Option } from 'commander'
import type { DiffOptions } from '../../../runs/diff.ts'
import { PROJECT_DIR, RUN_ARGUMENT, type Verb } from '../verb.ts'

const HELP = `
Examples:
  ralph diff                 what the latest run of this project changed, committed or not
  ralph diff k3f --stat      which files, and how much
  ralph diff | git apply -R  take it back by hand

Exit codes: 0 · 2 bad usage, no such run, or no git repository`

export const diffVerb: Verb = {
  name: 'diff',
  summary: 'Show what a run changed, from its start to its end, or to now.',
  define: (command, { finish, io }) =>
    command
      .argument('[run]', RUN_ARGUMENT)
      .addOption(new Option('--stat', 'only how much').conflicts('nameOnly'))
      .option('--name-only', 'only which files')
      .option(...PROJECT_DIR)
      .addHelpText('after', HELP)
      .action(async (name: string | undefined, options: DiffOptions) => {
        const { diffRun } = await import('../../actions.ts')
        finish(await diffRun(name, options, io))
      }),
}
