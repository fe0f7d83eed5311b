import type { CommonOptions } from '../../../host/start.ts'
import { addCommonOptions } from '../common.ts'
import type { Verb } from '../verb.ts'

export type RunOptions = CommonOptions & {
  prompt?: string
  promptFile?: string
  completionResponse?: string
  donePattern?: string
  untilGreen?: boolean
}

const EXAMPLES = `
Examples:
  ralph run -p "Make the tests pass"
  ralph run -p "Fix the tests" --check "npm test" --until-green
  ralph run -f PROMPT.md -m 20 --model opus
  ralph run -f PROMPT.md -c SHIPPED            done when the agent says <response>SHIPPED</response>
  ralph run -f PROMPT.md -c '' -m 5            no condition: five iterations
  ralph run -f PROMPT.md --branch ralph/cart --max-cost 5 --max-time 8h
  ralph run -f PROMPT.md -- ./my-agent --fast  any command; the prompt comes on standard input`

export const runVerb: Verb = {
  name: 'run',
  takesCommand: true,
  summary: 'Loop an agent on one prompt until it is verified done.',
  define: (command, { agentCommand, finish, io }) =>
    addCommonOptions(
      command
        .usage('(-p TEXT | -f FILE) [options] [-- COMMAND ARGS…]')
        // It takes none; but somebody who types one should learn where the prompt goes.
        .argument('[words...]')
        .option('-p, --prompt <text>', 'the prompt')
        .option(
          '-f, --prompt-file <file>',
          'a file with the prompt, read again for every iteration; - reads standard input',
        )
        .option(
          '-c, --completion-response <text>',
          "what the agent's <response> must say (DONE); '' for no condition",
        )
        .option('--done-pattern <regex>', 'done when this matches what the agent says')
        .option('--until-green', 'done when the checks are green after an iteration'),
      '10',
    )
      .addHelpText('after', EXAMPLES)
      .action(async (words: string[], options: RunOptions) => {
        const { startPrompt } = await import('../../actions.ts')
        finish(await startPrompt(words, options, agentCommand, io))
      }),
}
