import { Option } from 'commander'
import type { DiffOptions } from '../../runs/diff.ts'
import type { StatusOptions } from '../../runs/status.ts'
import type { UndoOptions } from '../../runs/undo.ts'
import type { EventsOptions } from '../../workers/events.ts'
import type { ListOptions } from '../../workers/list.ts'
import type { MorningOptions } from '../commands/see/morning.ts'
import type { ReportOptions } from '../commands/see/report.ts'
import { PROJECT_DIR, RUN_ARGUMENT, type Verb } from './verb.ts'

const WATCH_EXAMPLES = `
Examples:
  ralph watch                  all runs and workers; those that need you are on top
  ralph watch cart             one worker, or one run by its id
  ralph run -f PROMPT.md --tui start a run with its screen open

Inside, ? shows the keys. Leaving it (q) stops no run.`

const watchVerb: Verb = {
  name: 'watch',
  summary: 'Watch and steer all runs, or one, on a full screen.',
  define: command =>
    command
      .argument('[run]', 'the name of a worker, or the id of a run, or the beginning or end of it')
      .addHelpText('after', WATCH_EXAMPLES),
  act: ({ watchRuns }, io, name: string | undefined) => watchRuns(name, io),
}

const MORNING_HELP = `
Examples:
  ralph morning                          since yesterday 18:00; from noon on, the last 24 hours
  ralph morning --since 12h              or a date, 2026-11-17, or: yesterday, today
  ralph morning --html night.html        one page that needs nothing else
  ralph morning --json | jq .costs.total`

const morningVerb: Verb = {
  name: 'morning',
  summary: 'Show what the runs of the night did: what needs you, what landed, what it cost.',
  define: command =>
    command
      .option('--since <when>', 'a time span, a date, yesterday or today')
      .addOption(new Option('--json', 'as one JSON object').conflicts('html'))
      .option('--html [file]', 'as one HTML page; at a terminal it goes into a file')
      .addHelpText('after', MORNING_HELP),
  act: ({ showMorning }, io, options: MorningOptions) => showMorning(options, io),
}

const statusVerb: Verb = {
  name: 'status',
  summary: 'Show the status of a run: running, paused, crashed or finished, and how to continue.',
  define: command =>
    command
      .argument('[run]', RUN_ARGUMENT)
      .option(...PROJECT_DIR)
      .option('--json', 'as one JSON object')
      .addHelpText('after', '\nExample:\n  ralph status'),
  act: ({ showStatus }, io, name: string | undefined, options: StatusOptions) =>
    showStatus(name, options, io),
}

const REPORT_HELP = `
Examples:
  ralph report                             the latest run of this project, finished or not
  ralph report k3f --markdown | gh pr comment -F -
  ralph report --html                      one page with charts that needs nothing else
  ralph report --json | jq .totals.usd     null: the agent did not report its cost

Exit codes: 0 · 2 bad usage, or no such run`

const reportVerb: Verb = {
  name: 'report',
  summary: 'Show the receipt of a run: what it did, what it cost, how it ended, how to continue.',
  define: command =>
    command
      .argument('[run]', RUN_ARGUMENT)
      .addOption(new Option('--json', 'as one JSON object').conflicts(['markdown', 'html']))
      .addOption(new Option('--markdown', 'as Markdown').conflicts('html'))
      .option('--html', 'as one HTML page; at a terminal it goes into a file')
      .option(...PROJECT_DIR)
      .addHelpText('after', REPORT_HELP),
  act: ({ reportRun }, io, name: string | undefined, options: ReportOptions) => reportRun(name, options, io),
}

const DIFF_HELP = `
Examples:
  ralph diff                 what the latest run of this project changed, committed or not
  ralph diff k3f --stat      which files, and how much
  ralph diff | git apply -R  take it back by hand

Exit codes: 0 · 2 bad usage, no such run, or no git repository`

const diffVerb: Verb = {
  name: 'diff',
  summary: 'Show what a run changed, from its start to its end, or to now.',
  define: command =>
    command
      .argument('[run]', RUN_ARGUMENT)
      .addOption(new Option('--stat', 'only how much').conflicts('nameOnly'))
      .option('--name-only', 'only which files')
      .option(...PROJECT_DIR)
      .addHelpText('after', DIFF_HELP),
  act: ({ diffRun }, io, name: string | undefined, options: DiffOptions) => diffRun(name, options, io),
}

const UNDO_HELP = `
It shows what it will do and asks. What you changed before the run stays as it was. If it would touch what you changed after the run, it does nothing. Everything it removes is kept in a git ref, and it prints how to get it back.

Examples:
  ralph undo                 the latest run of this project
  ralph undo k3f --yes

Exit codes: 0 · 1 you said no · 2 bad usage, something in the way, or no terminal to ask on`

const undoVerb: Verb = {
  name: 'undo',
  summary: 'Put everything back as it was when a run began; asks first.',
  define: command =>
    command
      .argument('[run]', RUN_ARGUMENT)
      .option('-y, --yes', 'do not ask')
      .option('--force', 'even if something was changed after the run')
      .option(...PROJECT_DIR)
      .addHelpText('after', UNDO_HELP),
  act: ({ undoRun }, io, name: string | undefined, options: UndoOptions) => undoRun(name, options, io),
}

const LS_EXAMPLES = `
Examples:
  ralph ls                     everything that runs on this machine
  ralph ls --all               then, of one of them: ralph report, ralph diff, ralph undo
  ralph ls --format json | jq '.[].status'`

const lsVerb: Verb = {
  name: 'ls',
  summary: 'List what is running: workers, and runs in other terminals; with --all also what has ended.',
  define: command =>
    command
      .option('-a, --all', 'also the runs of this project that have ended, the newest first')
      .option(...PROJECT_DIR)
      .addOption(new Option('--format <format>', 'how').choices(['table', 'json', 'names']).default('table'))
      .addHelpText('after', LS_EXAMPLES),
  act: ({ listRuns }, io, options: ListOptions) => listRuns(options, io),
}

const eventsVerb: Verb = {
  name: 'events',
  summary: 'Print what happens in all runs of this machine, for scripts.',
  define: command =>
    command
      .option('-f, --follow', 'continue until Ctrl+C')
      .option('--json', 'the events of the journals as NDJSON, each with its run and worker'),
  act: ({ printEvents }, io, options: EventsOptions) => printEvents(options, io),
}

export const SEE: readonly Verb[] = [
  watchVerb,
  morningVerb,
  statusVerb,
  reportVerb,
  diffVerb,
  undoVerb,
  lsVerb,
  eventsVerb,
]
