import { PROJECT_DIR, type Verb } from '../verb.ts'

export const judgeVerb: Verb = {
  name: 'judge',
  summary: 'Check whether the judge of semantic verification can be relied on.',
  define(command, { finish }) {
    command.usage('check').addHelpText('after', '\nExample:\n  ralph judge check')
    command
      .command('check')
      .description('Show the judge good changes, bad ones, and bad ones that try to persuade it.')
      .option('--again', 'even if this version and model were checked before')
      .option('--trust', "allow what this project's files decide")
      .option(...PROJECT_DIR)
      .action(async options => finish(await (await import('../../actions.ts')).checkProjectJudge(options)))
  },
}
