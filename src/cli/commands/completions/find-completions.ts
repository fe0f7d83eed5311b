import type { Argument, Command, Option } from 'commander'

export type Completion = { value: string; about: string }

/** What can complete the last word. The shell completes names of files and folders itself. */
export type Completions = { type: 'values'; values: Completion[] } | { type: 'files' } | { type: 'folders' }

/** Values that have to be looked up. */
export type Sources = {
  agents(): Completion[]
  runs(command: string): Completion[]
  workers(): Completion[]
}

type Kind = Exclude<keyof Sources | Completions['type'], 'values'>

/** What a word is, by the name that help gives it: `<file>`, `[run]`. */
const KINDS: Readonly<Record<string, Kind>> = {
  file: 'files',
  dir: 'folders',
  run: 'runs',
  worker: 'workers',
  workers: 'workers',
}

const NOTHING: Completions = { type: 'values', values: [] }

/**
 * Completes the last of the words typed after the program's name. Everything is read from the program itself, so that a
 * new command or option needs no change here.
 */
export function findCompletions(program: Command, typed: readonly string[], sources: Sources): Completions {
  // Bash splits `--agent=c` into three words.
  const words = typed.filter((word, index) => word !== '=' || !typed[index - 1]?.startsWith('--'))
  const last = words.at(-1) ?? ''
  const position = walk(program, words.slice(0, -1))
  const fill = (kind: Kind | null, choices: readonly string[] = []): Completions => {
    if (kind === 'files' || kind === 'folders') return { type: kind }
    const values = kind === null ? choices.map(value => ({ value, about: '' })) : askFor(kind)
    return { type: 'values', values }
  }
  const askFor = (kind: keyof Sources): Completion[] =>
    kind === 'runs' ? sources.runs(position.command.name()) : sources[kind]()
  const valuesOf = (option: Option) => fill(kindOfOption(option), option.argChoices)

  if (position.afterDashes) return { type: 'files' }
  if (position.open) return startingWith(last, valuesOf(position.open))
  const assigned = /^(--[^=]+)=/.exec(last)
  if (assigned) {
    const option = findOption(position.command, assigned[1]!)
    return option ? startingWith(last, prefixed(assigned[0], valuesOf(option))) : NOTHING
  }
  if (last.startsWith('-')) return startingWith(last, optionsOf(position.command, last))
  const argument = argumentAt(position)
  const completions = argument ? fill(kindOfArgument(argument), argument.argChoices) : NOTHING
  if (completions.type !== 'values' || position.arguments > 0) return startingWith(last, completions)
  return startingWith(last, {
    type: 'values',
    values: [...commandsOf(position.command), ...completions.values],
  })
}

type Position = {
  command: Command
  /** How many arguments the command has so far. */
  arguments: number
  /** An option that waits for its value. */
  open: Option | null
  /** What follows is another program's command line. */
  afterDashes: boolean
}

function walk(program: Command, words: readonly string[]): Position {
  const position: Position = { command: program, arguments: 0, open: null, afterDashes: false }
  for (const word of words) {
    if (position.afterDashes) break
    if (position.open) position.open = null
    else if (word === '--') position.afterDashes = true
    else if (word.startsWith('-')) position.open = openedBy(position.command, word)
    else {
      const inner = position.command.commands.find(c => c.name() === word || c.aliases().includes(word))
      if (inner && position.arguments === 0) position.command = inner
      // `help` is followed by the name of a command, so the position stays the same.
      else if (word !== 'help' || position.command.commands.length === 0) position.arguments++
    }
  }
  return position
}

/** The option that a word leaves without its value: `--model`, `-m` and `-qm`, but not `-m5`. */
function openedBy(command: Command, word: string): Option | null {
  if (word.startsWith('--')) {
    const option = findOption(command, word)
    return option?.required ? option : null
  }
  for (let at = 1; at < word.length; at++) {
    const option = findOption(command, `-${word[at]}`)
    if (option?.required) return at === word.length - 1 ? option : null
  }
  return null
}

function argumentAt({
  command: { registeredArguments: all },
  arguments: count,
}: Position): Argument | undefined {
  const last = all.at(-1)
  return all[count] ?? (last?.variadic ? last : undefined)
}

function findOption(command: Command, word: string): Option | undefined {
  const option = command.options.find(({ short, long }) => short === word || long === word)
  return option ?? (command.parent ? findOption(command.parent, word) : undefined)
}

function kindOfOption({ long, flags }: Option): Kind | null {
  if (long === '--agent') return 'agents'
  return KINDS[/[<[]([\w-]+)/.exec(flags)?.[1]?.toLowerCase() ?? ''] ?? null
}

const kindOfArgument = (argument: Argument): Kind | null => KINDS[argument.name().toLowerCase()] ?? null

/** Long names, because they say what they mean, unless a short one is being typed. */
function optionsOf(command: Command, typed: string): Completions {
  const visible = command.createHelp().visibleOptions(command)
  const short = /^-[^-]/.test(typed)
  const values = visible.flatMap(option => {
    const value = short ? option.short : (option.long ?? option.short)
    return value === undefined ? [] : [{ value, about: option.description }]
  })
  return { type: 'values', values }
}

const commandsOf = (command: Command): Completion[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map(c => ({ value: c.name(), about: c.description() }))

const prefixed = (prefix: string, completions: Completions): Completions =>
  completions.type === 'values'
    ? { ...completions, values: completions.values.map(c => ({ ...c, value: prefix + c.value })) }
    : completions

const startingWith = (typed: string, completions: Completions): Completions =>
  completions.type === 'values'
    ? { ...completions, values: completions.values.filter(({ value }) => value.startsWith(typed)) }
    : completions
