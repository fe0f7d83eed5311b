import { Argument } from 'commander'
import { PROJECT_DIR, type Verb } from '../verb.ts'

export type InitOptions = { projectDir?: string; ralphDir: string; name?: string; force?: boolean }

const EXAMPLES = `
Examples:
  ralph init                       asks for the agent, its limits, and the commands that verify its work,
                                   and writes .ralph/settings.json; Ctrl+C leaves everything as it was
  ralph init stories --name cart   ralph/ with prd.md, tasks.json, progress.txt and prompt.md`

export const init: Verb = {
  name: 'init',
  summary: "Create this project's settings by answering questions, or the folder of a story loop.",
  define: (command, { finish }) =>
    command
      .addArgument(new Argument('[what]', 'stories: the folder of a story loop').choices(['stories']))
      .option('--name <name>', 'with stories: what to build; works on the branch ralph/<name>')
      .option('--force', 'with stories: overwrite what is there')
      .option('--ralph-dir <dir>', 'with stories: the folder', 'ralph')
      .option(...PROJECT_DIR)
      .addHelpText('after', EXAMPLES)
      .action(async (what: 'stories' | undefined, options: InitOptions) => {
        const { initProject, initStories } = await import('../../actions.ts')
        finish(await (what === 'stories' ? initStories(options) : initProject(options)))
      }),
}
