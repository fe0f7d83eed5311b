import { Option } from 'commander'
import { PROJECT_DIR, RUN_ARGUMENT, type Verb } from '../verb.ts'
import type { ReportOptions } from './print-report.ts'

const HELP = `
Examples:
  ralph report                             the latest run of this project, finished or not
  ralph report k3f --markdown | gh pr comment -F -
  ralph report --html                      one page with charts that needs nothing else
  ralph report --json | jq .totals.usd     null: the agent did not report its cost

Exit codes: 0 · 2 bad usage, or no such run`

export const reportVerb: Verb = {
  name: 'report',
  summary: 'Show the receipt of a run: what it did, what it cost, how it ended, how to continue.',
  define: (command, { finish, io }) =>
    command
      .argument('[run]', RUN_ARGUMENT)
      .addOption(new Option('--json', 'as one JSON object').conflicts(['markdown', 'html']))
      .addOption(new Option('--markdown', 'as Markdown').conflicts('html'))
      .option('--html', 'as one HTML page; at a terminal it goes into a file')
      .option(...PROJECT_DIR)
      .addHelpText('after', HELP)
      .action(async (name: string | undefined, options: ReportOptions) => {
        const { reportRun } = await import('../../actions.ts')
        finish(await reportRun(name, options, io))
      }),
}
