import { Option } from 'commander'
import type { CommonOptions } from '../../../host/start.ts'
import { addCommonOptions } from '../common.ts'
import { positiveInteger } from '../numbers.ts'
import type { Verb } from '../verb.ts'

export type StoriesOptions = CommonOptions & {
  ralphDir: string
  skipReview?: boolean
  reviewCap?: number
  atCap?: 'approve' | 'block'
  completionResponse?: string
  donePattern?: string
  untilGreen?: boolean
}

const EXAMPLES = `
Examples:
  ralph init stories --name cart                 ralph/ with prd.md, tasks.json, progress.txt and prompt.md
  ralph stories                                  implement, review by a fresh context, fix, until all are approved
  ralph stories -m 30 --review-cap 3 --at-cap block
  ralph stories --skip-review                    no reviews: green verifyCommands are enough
  ralph archive                                  archive a finished loop, with a summary`

export const storiesVerb: Verb = {
  name: 'stories',
  takesCommand: true,
  summary: 'Implement user stories; each is reviewed in a fresh context.',
  define: (command, { agentCommand, finish, io }) =>
    addCommonOptions(
      command
        .usage('[options] [-- COMMAND ARGS…]')
        .option('--ralph-dir <dir>', 'the folder with the stories', 'ralph')
        .option('--skip-review', 'a story is done when it passes and its checks are green')
        .addOption(
          new Option('--review-cap <n>', 'reviews that a story may get (5)').argParser(positiveInteger),
        )
        .addOption(
          new Option(
            '--at-cap <what>',
            'after that: approve it with a warning, or leave it for a person',
          ).choices(['approve', 'block']),
        )
        .addOption(new Option('-c, --completion-response <text>').hideHelp())
        .addOption(new Option('--done-pattern <regex>').hideHelp())
        .addOption(new Option('--until-green').hideHelp()),
      '15',
    )
      .addHelpText('after', EXAMPLES)
      .action(async (options: StoriesOptions) => {
        const { startStories } = await import('../../actions.ts')
        finish(await startStories(options, agentCommand, io))
      }),
}
