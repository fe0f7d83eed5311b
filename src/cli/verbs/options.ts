import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseDuration } from '../../settings/words.ts'
import { PROJECT_DIR } from './verb.ts'

/** A whole number of at least one. */
export function positiveInteger(text: string): number {
  const n = Number(text)
  if (!/^\d+$/.test(text) || n < 1 || !Number.isSafeInteger(n))
    throw new InvalidArgumentError('It must be a whole number of at least 1.')
  return n
}

export function positiveSeconds(text: string): number {
  const n = Number(text)
  if (text.trim() === '' || !Number.isFinite(n) || n <= 0)
    throw new InvalidArgumentError('It must be a number of seconds above 0.')
  return n
}

export function positiveAmount(text: string): number {
  const n = Number(text)
  if (text.trim() === '' || !Number.isFinite(n) || n <= 0)
    throw new InvalidArgumentError('It must be a number above 0.')
  return n
}

/** The seconds in `90s`, `30m`, `2h`, `1h30m`. */
export function timeSpan(text: string): number {
  const seconds = parseDuration(text)
  if (seconds === null || seconds <= 0)
    throw new InvalidArgumentError('It must be a time such as 90s, 30m or 2h.')
  return seconds
}

export function zeroOrMore(text: string): number {
  const n = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(n))
    throw new InvalidArgumentError('It must be a whole number.')
  return n
}

/** Negative ones too. */
export function wholeNumber(text: string): number {
  const n = Number(text)
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(n))
    throw new InvalidArgumentError('It must be a whole number.')
  return n
}

/** Not variadic, because other words may follow it. */
export const collect = (word: string, before: string[] = []): string[] => [...before, word]

/** `limit`: the default of -m, in words. */
export const addCommonOptions = (command: Command, limit: string, isParallel = false): Command =>
  command
    .addOption(
      new Option('--parallel <n>', 'work on this many tasks at once, each in its own worktree (1)')
        .argParser(positiveInteger)
        .hideHelp(!isParallel),
    )
    .option('-a, --agent <name>', 'claude, codex, amp, opencode, gemini, copilot, demo, or a program')
    .option('--model <model>', 'the model, as the agent names it')
    .addOption(
      new Option('-m, --max-iterations <n>', `stop after this many iterations (${limit})`).argParser(
        positiveInteger,
      ),
    )
    .addOption(new Option('-n, --maximum-iterations <n>').argParser(positiveInteger).hideHelp())
    .option('--check <command>', 'also verify with this command; may be given several times', collect)
    .option('--once', 'run one iteration; exit code 0 if it ended well and its checks are green')
    .option('--stream-agent-output', 'show what the agent does as it happens (default)')
    .option('--no-stream-agent-output', 'text mode: one status line instead of what the agent says')
    .addOption(
      new Option('--inactivity-timeout <s>', 'end an agent that is silent for this long (300)').argParser(
        positiveSeconds,
      ),
    )
    .addOption(
      new Option('--iteration-timeout <s>', 'end an iteration after this long (7200)').argParser(
        positiveSeconds,
      ),
    )
    .addOption(new Option('--max-time <time>', 'stop after this long: 90s, 30m, 2h').argParser(timeSpan))
    .addOption(new Option('--max-cost <usd>', 'stop when this much is spent').argParser(positiveAmount))
    .addOption(
      new Option('--max-tokens <n>', 'stop when this many tokens are used').argParser(positiveInteger),
    )
    .addOption(
      new Option('--sandbox [mode]', 'work in a sandbox: auto (default), docker, srt or none; alone: docker'),
    )
    .option('--no-sandbox', 'work without one')
    .option('--branch <name>', 'work on a new branch')
    .option(...PROJECT_DIR)
    .option('--shared', 'run even if another run is at work in this folder')
    .option('--tui', 'show the run on a full screen; q leaves it and stops nothing')
    .option('--json', 'print run events as NDJSON on standard output')
    .option('-q, --quiet', 'show only the end and warnings')
    .option('-V, --verbose', 'also log what is loaded, called and tested to standard error')
    .option('--dry-run', 'show what would run, and start nothing')
    .option('--trust', "allow this project's commands, and remember it")
    .option('-d, --detach', 'run as a worker in the background, as ralph spawn does')
    .option('--name <name>', 'the name of the worker; default: ralph chooses one')
    .option(
      '--worktree',
      isParallel
        ? "each task in its own worktree; with spawn: the whole run, on a branch with the worker's name"
        : "with spawn: work in its own worktree, on a branch with the worker's name",
    )
    .option('--foreground', 'with spawn: keep the loop in this terminal, with its exit code')
