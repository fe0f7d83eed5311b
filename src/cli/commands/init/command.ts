import { Argument } from 'commander'
import { PROJECT_DIR, type Verb } from '../verb.ts'

export type InitOptions = {
  projectDir?: string
  ralphDir: string
  name?: string
  force?: boolean
  yes?: boolean
}

const EXAMPLES = `
Examples:
  ralph init                       asks for the agent, its limits, and the commands that verify its work, and writes .ralph/settings.json; Ctrl+C leaves everything as it was
  ralph init --yes                 the same without questions
  ralph init prompt                PROMPT.md, for ralph run -f PROMPT.md
  ralph init stories --name cart   ralph/ with prd.md, tasks.json, progress.txt and prompt.md`

export const initVerb: Verb = {
  name: 'init',
  summary:
    "Create this project's settings by answering questions, a PROMPT.md, or the folder of a story loop.",
  define: (command, { finish }) =>
    command
      .addArgument(
        new Argument(
          '[what]',
          'prompt: a PROMPT.md to start from; stories: the folder of a story loop',
        ).choices(['prompt', 'stories']),
      )
      .option('--yes', 'ask nothing: use the first agent and every check found')
      .option('--name <name>', 'with stories: what to build; works on the branch ralph/<name>')
      .option('--force', 'with prompt or stories: overwrite what is there')
      .option('--ralph-dir <dir>', 'with stories: the folder', 'ralph')
      .option(...PROJECT_DIR)
      .addHelpText('after', EXAMPLES)
      .action(async (what: 'prompt' | 'stories' | undefined, options: InitOptions) => {
        const { initProject, initPrompt, initStories } = await import('../../actions.ts')
        if (what !== undefined && options.yes)
          command.error('error: --yes is for the questions of: ralph init')
        if (what === 'prompt') finish(initPrompt(options))
        else finish(await (what === 'stories' ? initStories(options) : initProject(options)))
      }),
}
