import { Option } from 'commander'
import type { SteerOptions } from '../../runs/steer.ts'
import type { EventsOptions } from '../../workers/events.ts'
import type { ListOptions } from '../../workers/list.ts'
import type { LogsOptions } from '../../workers/read-logs.ts'
import type { KillOptions } from '../../workers/steer.ts'
import type { WaitOptions } from '../../workers/wait.ts'
import { positiveInteger, positiveSeconds } from './numbers.ts'
import { PROJECT_DIR, type Verb } from './verb.ts'

const actions = () => import('../actions.ts')

const NAME = 'the name of the worker'

const LS_EXAMPLES = `
Examples:
  ralph ls                     everything that runs on this machine
  ralph ls --all               then, of one of them: ralph report, ralph diff, ralph undo
  ralph ls --format json | jq '.[].status'`

export const lsVerb: Verb = {
  name: 'ls',
  summary: 'List what is running: workers, and runs in other terminals; with --all also what has ended.',
  define: (command, { finish, io }) =>
    command
      .option('-a, --all', 'also the runs of this project that have ended, the newest first')
      .option(...PROJECT_DIR)
      .addOption(new Option('--format <format>', 'how').choices(['table', 'json', 'names']).default('table'))
      .addHelpText('after', LS_EXAMPLES)
      .action(async (options: ListOptions) => finish((await actions()).listRuns(options, io))),
}

export const logsVerb: Verb = {
  name: 'logs',
  summary: 'Print what a worker did and said.',
  define: (command, { finish, io }) =>
    command
      .argument('<worker>', NAME)
      .option('-f, --follow', 'continue until the worker has ended')
      .addOption(new Option('--iteration <n>', 'only this one').argParser(positiveInteger))
      .action(async (name: string, options: LogsOptions) =>
        finish(await (await actions()).printLogs(name, options, io)),
      ),
}

export const attachVerb: Verb = {
  name: 'attach',
  summary: "Show a worker's tmux window in this terminal; Ctrl+B D leaves it.",
  define: (command, { finish, io }) =>
    command
      .argument('<worker>', NAME)
      .action(async (name: string) => finish(await (await actions()).attachWorker(name, io))),
}

export const killVerb: Verb = {
  name: 'kill',
  summary: 'End a worker now, for good; its changes are kept.',
  define: (command, { finish, io }) =>
    command
      .argument('<worker>', NAME)
      .option('--rm-worktree', 'also remove its worktree and branch, if everything in them is merged')
      .action(async (name: string, options: KillOptions) =>
        finish(await (await actions()).killWorker(name, options, io)),
      ),
}

export const rmVerb: Verb = {
  name: 'rm',
  summary: 'Forget a worker that has ended; its run is kept.',
  define: (command, { finish, io }) =>
    command
      .argument('<worker>', NAME)
      .action(async (name: string) => finish(await (await actions()).forgetWorker(name, io))),
}

export const waitVerb: Verb = {
  name: 'wait',
  summary: 'Wait until workers have ended.',
  define: (command, { finish, io }) =>
    command
      .argument('[workers...]', 'their names')
      .option('--all', 'all workers')
      .addOption(new Option('--timeout <s>', 'give up after this long').argParser(positiveSeconds))
      .addHelpText('after', '\nExit codes: 0 all ended well · 1 one did not · 2 bad usage · 124 out of time')
      .action(async (names: string[], options: WaitOptions) =>
        finish(await (await actions()).waitForWorkers(names, options, io)),
      ),
}

export const eventsVerb: Verb = {
  name: 'events',
  summary: 'Print what happens in all runs of this machine, for scripts.',
  define: (command, { finish, io }) =>
    command
      .option('-f, --follow', 'continue until Ctrl+C')
      .option('--json', 'the events of the journals as NDJSON, each with its run and worker')
      .action(async (options: EventsOptions) => finish(await (await actions()).printEvents(options, io))),
}

const SET_EXAMPLES = `
Examples:
  ralph set max-iterations=200         the latest unfinished run of this project
  ralph set night max-iterations=200   a worker, or a run by its id`

export const setVerb: Verb = {
  name: 'set',
  summary: 'Change the limit of a run: ralph set max-iterations=200.',
  define: (command, { finish, io }) =>
    command
      .usage('[options] [run] max-iterations=N')
      .argument(
        '<run>',
        'the name of the worker, or the id of the run, or the beginning or end of it; default: the latest unfinished run of this project',
      )
      .argument('[setting...]', 'max-iterations=N, all iterations counted')
      .option(...PROJECT_DIR)
      .addHelpText('after', SET_EXAMPLES)
      .action(async (first: string, others: string[], options: SteerOptions) =>
        finish(await (await actions()).setLimitByName([first, ...others], options, io)),
      ),
}

export const superviseVerb: Verb = {
  name: 'supervise',
  summary: 'The process of a worker.',
  hidden: true,
  define: (command, { finish, io }) =>
    command
      .argument('<worker>', NAME)
      .action(async (name: string) => finish(await (await actions()).superviseWorker(name, io))),
}
