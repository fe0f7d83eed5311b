import type { Argument, Command, Option } from 'commander'

export type Offer = { value: string; about: string }

/** What can stand in place of the last word; names of files and folders are the shell's own trade. */
export type Offers = { type: 'values'; values: Offer[] } | { type: 'files' } | { type: 'folders' }

/** Values that are known only when they are asked for. */
export type Sources = { agents(): Offer[]; runs(command: string): Offer[] }

type Kind = Exclude<keyof Sources | Offers['type'], 'values'>

/** What a word is, by the name that help gives it: `<file>`, `[run]`. */
const KINDS: Readonly<Record<string, Kind>> = { file: 'files', dir: 'folders', run: 'runs' }

const NOTHING: Offers = { type: 'values', values: [] }

/**
 * What to offer for the last of the words typed after the program's name. Everything is read from the
 * program itself, so that a command or option that is added is completed without a word here.
 */
export function findOffers(program: Command, typed: readonly string[], sources: Sources): Offers {
  // Bash takes `--agent=c` for three words.
  const words = typed.filter((word, place) => word !== '=' || !typed[place - 1]?.startsWith('--'))
  const last = words.at(-1) ?? ''
  const place = walk(program, words.slice(0, -1))
  const fill = (kind: Kind | null, choices: readonly string[] = []): Offers => {
    if (kind === 'files' || kind === 'folders') return { type: kind }
    const values = kind === null ? choices.map(value => ({ value, about: '' })) : askFor(kind)
    return { type: 'values', values }
  }
  const askFor = (kind: keyof Sources): Offer[] =>
    kind === 'agents' ? sources.agents() : sources.runs(place.command.name())
  const valuesOf = (option: Option) => fill(kindOfOption(option), option.argChoices)

  if (place.afterDashes) return { type: 'files' }
  if (place.open) return startingWith(last, valuesOf(place.open))
  const assigned = /^(--[^=]+)=/.exec(last)
  if (assigned) {
    const option = findOption(place.command, assigned[1]!)
    return option ? startingWith(last, prefixed(assigned[0], valuesOf(option))) : NOTHING
  }
  if (last.startsWith('-')) return startingWith(last, optionsOf(place.command, last))
  const argument = argumentAt(place)
  const offers = argument ? fill(kindOfArgument(argument), argument.argChoices) : NOTHING
  if (offers.type !== 'values' || place.arguments > 0) return startingWith(last, offers)
  return startingWith(last, { type: 'values', values: [...commandsOf(place.command), ...offers.values] })
}

type Place = {
  command: Command
  /** Arguments that the command was given so far. */
  arguments: number
  /** An option that waits for its value. */
  open: Option | null
  /** What follows is another program's command line. */
  afterDashes: boolean
}

function walk(program: Command, words: readonly string[]): Place {
  const place: Place = { command: program, arguments: 0, open: null, afterDashes: false }
  for (const word of words) {
    if (place.afterDashes) break
    if (place.open) place.open = null
    else if (word === '--') place.afterDashes = true
    else if (word.startsWith('-')) place.open = openedBy(place.command, word)
    else {
      const inner = place.command.commands.find(c => c.name() === word || c.aliases().includes(word))
      if (inner && place.arguments === 0) place.command = inner
      // `help` takes the name of a command, so it stands where it stood.
      else if (word !== 'help' || place.command.commands.length === 0) place.arguments++
    }
  }
  return place
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
}: Place): Argument | undefined {
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

/** Long names, unless a short one is being typed: they say what they mean. */
function optionsOf(command: Command, typed: string): Offers {
  const visible = command.createHelp().visibleOptions(command)
  const short = /^-[^-]/.test(typed)
  const values = visible.flatMap(option => {
    const value = short ? option.short : (option.long ?? option.short)
    return value === undefined ? [] : [{ value, about: option.description }]
  })
  return { type: 'values', values }
}

const commandsOf = (command: Command): Offer[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map(c => ({ value: c.name(), about: c.description() }))

const prefixed = (prefix: string, offers: Offers): Offers =>
  offers.type === 'values'
    ? { ...offers, values: offers.values.map(o => ({ ...o, value: prefix + o.value })) }
    : offers

const startingWith = (typed: string, offers: Offers): Offers =>
  offers.type === 'values'
    ? { ...offers, values: offers.values.filter(({ value }) => value.startsWith(typed)) }
    : offers
