import { Argument, Option } from 'commander'
import type { LogsOptions } from '../../workers/read-logs.ts'
import type { KillOptions } from '../../workers/steer.ts'
import type { WaitOptions } from '../../workers/wait.ts'
import { positiveInteger, positiveSeconds } from './options.ts'
import type { Verb } from './verb.ts'

const SPAWN_HELP = `
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
      .addHelpText('after', SPAWN_HELP),
}

const WORKERS_NAME = 'the name of the worker'

const logsVerb: Verb = {
  name: 'logs',
  summary: 'Print what a worker did and said.',
  define: command =>
    command
      .argument('<worker>', WORKERS_NAME)
      .option('-f, --follow', 'continue until the worker has ended')
      .addOption(new Option('--iteration <n>', 'only this one').argParser(positiveInteger)),
  act: ({ printLogs }, io, name: string, options: LogsOptions) => printLogs(name, options, io),
}

const attachVerb: Verb = {
  name: 'attach',
  summary: "Show a worker's tmux window in this terminal; Ctrl+B D leaves it.",
  define: command => command.argument('<worker>', WORKERS_NAME),
  act: ({ attachWorker }, io, name: string) => attachWorker(name, io),
}

const killVerb: Verb = {
  name: 'kill',
  summary: 'End a worker now, for good; its changes are kept.',
  define: command =>
    command
      .argument('<worker>', WORKERS_NAME)
      .option('--rm-worktree', 'also remove its worktree and branch, if everything in them is merged'),
  act: ({ killWorker }, io, name: string, options: KillOptions) => killWorker(name, options, io),
}

const rmVerb: Verb = {
  name: 'rm',
  summary: 'Forget a worker that has ended; its run is kept.',
  define: command => command.argument('<worker>', WORKERS_NAME),
  act: ({ forgetWorker }, io, name: string) => forgetWorker(name, io),
}

const waitVerb: Verb = {
  name: 'wait',
  summary: 'Wait until workers have ended.',
  define: command =>
    command
      .argument('[workers...]', 'their names')
      .option('--all', 'all workers')
      .addOption(new Option('--timeout <s>', 'give up after this long').argParser(positiveSeconds))
      .addHelpText('after', '\nExit codes: 0 all ended well · 1 one did not · 2 bad usage · 124 out of time'),
  act: ({ waitForWorkers }, io, names: string[], options: WaitOptions) => waitForWorkers(names, options, io),
}

export const superviseVerb: Verb = {
  name: 'supervise',
  summary: 'The process of a worker.',
  hidden: true,
  define: (command, { finish, io }) =>
    command
      .argument('<worker>', WORKERS_NAME)
      .action(async (name: string) =>
        finish(await (await import('../run-actions.ts')).superviseWorker(name, io)),
      ),
}

export const BACKGROUND: readonly Verb[] = [spawnVerb, logsVerb, attachVerb, waitVerb, killVerb, rmVerb]
