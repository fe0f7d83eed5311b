import { Option } from 'commander'
import type { CommonOptions } from '../../../host/start.ts'
import { addCommonOptions } from '../common.ts'
import type { Verb } from '../verb.ts'

export type BuildOptions = CommonOptions & {
  resume?: string
  refine?: 'ask' | 'auto' | 'off'
  yes?: boolean
  planOnly?: boolean
  tasks?: string
  yolo?: boolean
  featureList?: string
  completionPromise?: string
  completionResponse?: string
  donePattern?: string
  untilGreen?: boolean
}

const EXAMPLES = `
Examples:
  ralph build "Add a CSV export to the orders page"
  ralph build docs/spec.md --branch ralph/orders --max-cost 20
  ralph build docs/spec.md --plan-only           make the list, look at it, then: ralph resume
  ralph build --tasks TODO.md                    a list you have: JSON tasks, user stories, a markdown checklist
  ralph build --resume k3f "Use the new API"     continue, with an instruction for all later prompts

The list is .ralph/sessions/<run>/tasks.json; change it between iterations, or at any time with: ralph todo`

export const buildVerb: Verb = {
  name: 'build',
  takesCommand: true,
  summary: 'Turn a goal or a specification into a list of tasks, and work through it.',
  define: (command, { agentCommand, finish, io }) =>
    addCommonOptions(
      command
        .usage('"<goal or spec file>" [options] [-- COMMAND ARGS…]')
        .argument('[goal]', 'what to build, or the file that describes it; with --resume, an instruction')
        .option('--resume <run>', 'continue a build, by its id or the beginning or end of it')
        .addOption(
          new Option(
            '--refine <how>',
            'make the goal clearer first: ask shows both, auto uses the new one',
          ).choices(['ask', 'auto', 'off']),
        )
        .option('--yes', 'accept the list without asking')
        .option('--plan-only', 'make the list and stop')
        .option('--tasks <file>', 'work through this list instead of planning one')
        .addOption(new Option('--yolo').hideHelp())
        .addOption(new Option('--feature-list <file>').hideHelp())
        .addOption(new Option('--completion-promise <text>').hideHelp())
        .addOption(new Option('-c, --completion-response <text>').hideHelp())
        .addOption(new Option('--done-pattern <regex>').hideHelp())
        .addOption(new Option('--until-green').hideHelp()),
      'no limit',
      true,
    )
      .addHelpText('after', EXAMPLES)
      .action(async (goal: string | undefined, options: BuildOptions) => {
        const { startBuild } = await import('../../actions.ts')
        finish(await startBuild(goal, options, agentCommand, io))
      }),
}
