import { PROJECT_DIR, type Verb } from '../verb.ts'

export type ArchiveOptions = { projectDir?: string; ralphDir: string; label?: string; force?: boolean }

const EXAMPLES = `
Examples:
  ralph archive                  moves it to ralph-archive/<date>-<branch>/, with a summary, and commits it
  ralph archive --label v2

The prompt stays; prd.md, tasks.json and progress.txt are replaced with fresh ones.`

export const archiveVerb: Verb = {
  name: 'archive',
  summary: 'Archive a finished story loop, with a summary.',
  define: (command, { finish }) =>
    command
      .option('--label <label>', 'what to call it, instead of its branch')
      .option('--force', 'even if stories are not completed')
      .option('--ralph-dir <dir>', 'the folder with the stories', 'ralph')
      .option(...PROJECT_DIR)
      .addHelpText('after', EXAMPLES)
      .action(async (options: ArchiveOptions) => {
        const { archiveStories } = await import('../../actions.ts')
        finish(await archiveStories(options))
      }),
}
