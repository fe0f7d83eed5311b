import { fstatSync, statSync, writeSync } from 'node:fs'
import { devNull } from 'node:os'
import { Command, CommanderError, type OutputConfiguration } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { wrapLines } from '../core/format.ts'
import { printableLine } from '../core/visible.ts'
import { complain, printFailure, safeIo } from '../terminal/print.ts'
import { BACKGROUND, spawnVerb, superviseVerb } from './verbs/background.ts'
import { BEGIN, demoAgentVerb } from './verbs/begin.ts'
import { RUN_AN_AGENT, runVerb, STARTERS } from './verbs/run.ts'
import { SEE } from './verbs/see.ts'
import { STEER } from './verbs/steer.ts'
import { UPKEEP } from './verbs/upkeep.ts'
import type { Verb, VerbContext } from './verbs/verb.ts'

/** The commands, by what one wants to do. */
const GROUPS: Readonly<Record<string, readonly Verb[]>> = {
  'Start here:': BEGIN,
  'Run an agent:': RUN_AN_AGENT,
  'See what it did, take it back:': SEE,
  'Steer it:': STEER,
  'In the background:': BACKGROUND,
  'Look after it:': UPKEEP,
}

const VERBS: readonly Verb[] = [...Object.values(GROUPS).flat(), demoAgentVerb, superviseVerb]

const EXAMPLES = `
Examples:
  ralph demo                                  see a whole run, no key and no network needed
  ralph run -p "Make the tests pass"          loop the first agent found until it is verified done
  ralph run -f PROMPT.md -m 20 -a codex       the prompt is read again for every iteration
  ralph run -f PROMPT.md -- ./my-agent        any command that reads a prompt on standard input
  ralph resume                                continue the latest unfinished run of this project
  ralph report                                what the latest run of this project did and cost
  ralph diff                                  what it changed; ralph undo puts it back

Exit codes: 0 done · 1 ended without being done · 2 bad usage, settings or input · 130 interrupted`

/**
 * Prints help and the version directly to the file descriptor. `process.stdout` would load Node's streams, which takes a
 * tenth of the time that this program needs to start.
 */
const helpOutput: OutputConfiguration = {
  // Commander wraps its own lines, but no examples.
  writeOut: text => print(Buffer.from(wrapLines(text, columnsOfHelp()))),
  // What is printed for a command that lacks its subcommand.
  writeErr: text => complain(text.trimEnd()),
  getOutHelpWidth: columnsOfHelp,
  getOutHasColors: () => false,
}

/** Runs one command line and returns its exit code. */
export async function main(typed: string[]): Promise<number> {
  const argv = withoutSpawn(typed)
  const takesCommand = VERBS.some(verb => verb.takesCommand && verb.name === argv[0])
  const split = takesCommand ? argv.indexOf('--') : -1
  const words = split < 0 ? argv : argv.slice(0, split)
  const agentCommand = split < 0 ? [] : argv.slice(split + 1)
  let code = 0
  const program = new Command('ralph')
    .description(
      'Runs a coding agent in a loop, each iteration a fresh process, until the work is verified done.',
    )
    .version(manifest.version, '-v, --version')
    .showSuggestionAfterError()
    .configureOutput({
      ...helpOutput,
      // A word that was pasted may hold what a terminal obeys.
      outputError: text => complain(`ralph: ${printableLine(withWayOut(text, words, program))}`),
    })
    .exitOverride()
    .addHelpText('after', EXAMPLES)
  const context: VerbContext = {
    agentCommand,
    io: safeIo(process.env),
    finish: result => {
      code = result
    },
  }
  const isNeeded = (verb: Verb) => words.includes(verb.name) || argv[0] === 'complete'
  for (const verb of VERBS) {
    const command = program.command(verb.name, { hidden: verb.hidden ?? false }).description(verb.summary)
    const group = Object.keys(GROUPS).find(title => GROUPS[title]!.includes(verb))
    if (group) command.helpGroup(group)
    if (!isNeeded(verb)) continue
    verb.define(command, context)
    const { act } = verb
    if (act)
      command.action(async (...given) => {
        code = await act(await import('./actions.ts'), context.io, ...(given as never[]))
      })
  }
  try {
    // A completion script asks about unfinished words, which must not be parsed.
    if (argv[0] === 'complete')
      return (await import('./actions.ts')).offerCompletions(program, wordsToComplete(argv.slice(1)))
    if (words.length === 0) program.outputHelp()
    else await program.parseAsync(isHelpOfNothing(words) ? words.slice(1) : words, { from: 'user' })
    return code
  } catch (error) {
    return explain(error, words.includes('--verbose') || words.includes('-V'))
  }
}

/** `ralph spawn build …` is `ralph build --detach …`. Without the name of a workflow it is a run. */
function withoutSpawn(argv: string[]): string[] {
  const [first, ...rest] = argv
  const [second] = rest
  if (first !== spawnVerb.name || HELP.includes(second ?? '')) return argv
  return STARTERS.some(({ name }) => name === second)
    ? [second!, '--detach', ...rest.slice(1)]
    : [runVerb.name, '--detach', ...rest]
}

/** While the word after `spawn` is typed, it may be the name of a workflow. Then its own options follow. */
const wordsToComplete = (typed: string[]): string[] =>
  typed.length > 2 || typed[1]?.startsWith('-') ? withoutSpawn(typed) : typed

/** The suggestion of an error, or else where to look: the help of the command that was called. */
function withWayOut(error: string, words: readonly string[], program: Command): string {
  const line = error.trimEnd().replace('\n(', ' (')
  // A sentence of ralph's own says what is right.
  if (line.includes('(Did you mean') || line.endsWith('.')) return line
  const named: string[] = []
  let command: Command | undefined = program
  for (const word of words) {
    command = command.commands.find(inner => inner.name() === word)
    if (!command) break
    named.push(`${word} `)
  }
  return `${line}; see: ralph ${named.join('')}--help`
}

const HELP: readonly string[] = ['-h', '--help', 'help']

/** `ralph help foo`: parsed as `ralph foo`, it gets the error for an unknown command. */
const isHelpOfNothing = ([first, name]: readonly string[]): boolean =>
  first === 'help' && name !== undefined && name !== 'help' && !VERBS.some(verb => verb.name === name)

function explain(error: unknown, verbose: boolean): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  // Somebody removed it: it was a worktree, say, and the shell is still there.
  if ((error as NodeJS.ErrnoException).syscall === 'uv_cwd') {
    printFailure(new Error('the current folder is gone; go to another one, with cd'), false)
    return 2
  }
  printFailure(error as Error, verbose)
  // By name, because the other bundle has a class of its own.
  return (error as Error).name === 'UsageError' ? 2 : 1
}

function columnsOfHelp(): number {
  return (isScreen() && process.stdout.columns) || 80
}

function print(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; )
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOSPC')
        throw new Error('cannot write to standard output: the disk is full; some of the output is lost')
      // Wait for a slow reader; one that went away (`| head`) is not an error.
      if (code !== 'EAGAIN') return
    }
}

function isScreen(): boolean {
  const out = fstatSync(1)
  return out.isCharacterDevice() && out.rdev !== statSync(devNull).rdev
}
