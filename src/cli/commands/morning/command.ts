import { Option } from 'commander'
import type { Verb } from '../verb.ts'
import type { MorningOptions } from './print-morning.ts'

const HELP = `
Examples:
  ralph morning                          since yesterday 18:00; from noon on, the last 24 hours
  ralph morning --since 12h              or a date, 2026-11-17, or: yesterday, today
  ralph morning --html night.html        one page that needs nothing else
  ralph morning --json | jq .costs.total`

export const morningVerb: Verb = {
  name: 'morning',
  summary: 'Show what the runs of the night did: what needs you, what landed, what it cost.',
  define: (command, { finish, io }) =>
    command
      .option('--since <when>', 'a time span, a date, yesterday or today')
      .addOption(new Option('--json', 'as one JSON object').conflicts('html'))
      .option('--html [file]', 'as one HTML page; at a terminal it goes into a file')
      .addHelpText('after', HELP)
      .action(async (options: MorningOptions) => {
        const { showMorning } = await import('../../actions.ts')
        finish(showMorning(options, io))
      }),
}
