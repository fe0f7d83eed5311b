import { Option } from 'commander'
import type { DiffOptions } from '../../runs/diff.ts'
import type { GcOptions } from '../../runs/gc.ts'
import type { UndoOptions } from '../../runs/undo.ts'
import { count } from './numbers.ts'
import type { Verb } from './verb.ts'

const RUN = 'its id, or the beginning or end of it; default: the latest run of this folder'

const DIFF_HELP = `
Examples:
  ralph diff                 what the latest run of this folder changed, committed or not
  ralph diff k3f --stat      which files, and how much
  ralph diff | git apply -R  take it back by hand

Exit codes: 0 · 2 bad usage, no such run, or no git repository`

const UNDO_HELP = `
It shows what it will do and asks. What you had changed before the run stays as you had it; what you changed
afterwards stays, or nothing is done. All that is taken away is kept in a git ref, and the way back is printed.

Examples:
  ralph undo                 the latest run of this folder
  ralph undo k3f --yes

Exit codes: 0 · 1 you said no · 2 bad usage, something in the way, or nobody there to ask`

const GC_HELP = `
Of the newest runs everything is kept. Of older ones only the receipt stays: \`ralph report\` still tells them, but
they cannot be compared or undone. Runs that are at work or not finished are never touched.

Examples:
  ralph gc --dry-run         what would go
  ralph gc --keep 5          of this folder's runs
  ralph gc --all             of every project's

Exit codes: 0 · 2 bad usage`

const actions = () => import('../actions.ts')

export const diff: Verb = {
  name: 'diff',
  summary: 'What a run changed, from its start to its end, or to now.',
  define: (command, { finish }) =>
    command
      .argument('[run]', RUN)
      .addOption(new Option('--stat', 'only how much').conflicts('nameOnly'))
      .option('--name-only', 'only which files')
      .option('-C, --project-dir <dir>', 'the project', '.')
      .addHelpText('after', DIFF_HELP)
      .action(async (name: string | undefined, options: DiffOptions) =>
        finish(await (await actions()).diffRun(name, options)),
      ),
}

export const undo: Verb = {
  name: 'undo',
  summary: 'Put everything back to what it was when a run began. Asks first.',
  define: (command, { finish }) =>
    command
      .argument('[run]', RUN)
      .option('-y, --yes', 'do not ask')
      .option('--force', 'also where something was changed after the run')
      .option('-C, --project-dir <dir>', 'the project', '.')
      .addHelpText('after', UNDO_HELP)
      .action(async (name: string | undefined, options: UndoOptions) =>
        finish(await (await actions()).undoRun(name, options)),
      ),
}

export const gc: Verb = {
  name: 'gc',
  summary: 'Remove the prompts, streams and logs of old runs; their receipts stay.',
  define: (command, { finish }) =>
    command
      .addOption(new Option('--keep <n>', 'keep so many of the newest whole').argParser(count).default(20))
      .option('--all', 'of every project, not only of this folder')
      .option('--dry-run', 'only say what would go')
      .option('-C, --project-dir <dir>', 'the project', '.')
      .addHelpText('after', GC_HELP)
      .action(async (options: GcOptions) => finish((await actions()).collectGarbage(options))),
}
