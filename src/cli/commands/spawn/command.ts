import { Argument } from 'commander'
import type { Verb } from '../verb.ts'

const HELP = `
It takes all options of the workflow's own command. Unlike ralph run, a spawned run has a completion condition only if -c, --done-pattern or the settings give it one; otherwise it uses all its iterations.

Examples:
  ralph spawn --name agent -f PROMPT.md -m 10 -- claude
  ralph spawn --name docs -f PROMPT.md --done-pattern "All tasks complete"
  ralph spawn build docs/spec.md --name orders
  ralph spawn --name agent -f PROMPT.md --foreground && notify-send done

Then: ralph ls · status · logs · attach · pause · resume · kill · wait · rm, each with the worker's name`

/** Only its help: main reads `spawn` as the workflow's own command with --detach. */
export const spawnVerb: Verb = {
  name: 'spawn',
  takesCommand: true,
  summary: 'Run any workflow as a worker in the background, by name.',
  define: command =>
    command
      .usage('[workflow] [options] [-- COMMAND ARGS…]')
      .addArgument(
        new Argument('[workflow]', 'run if none is named').choices(['run', 'build', 'stories', 'pipeline']),
      )
      .option('--name <name>', 'letters, digits, - and _; default: ralph chooses one')
      .option('-f, --prompt-file <file>', 'the prompt, read again for every iteration')
      .option('-m, --max-iterations <n>', 'stop after this many iterations (10)')
      .option('--done-pattern <regex>', 'done when this matches what the agent says')
      .option('--worktree', "work in its own git worktree, on a branch with the worker's name")
      .option('--foreground', 'keep the loop in this terminal, with its exit code')
      .addHelpText('after', HELP),
}
