/** A program that a command line would start, with its words as far as they are known before it runs. */
export type Call = {
  /** The program without its folder; '' for a redirection alone. */
  name: string
  words: string[]
  args: string[]
  redirects: { op: string; target: string; body: string | null }[]
  /** What its standard input would be: the calls that print it, and the text where it is known. */
  input: { calls: Call[]; text: string | null }
  /** All calls of its pipeline, itself among them. */
  pipeline: Call[]
  background: boolean
  /** The folder it runs in, as far as `cd` before it tells. */
  cwd: string
  /** The calls whose output becomes part of its words. */
  within: Call[]
  /** The files that the command line fetches from servers. */
  fetched: ReadonlySet<string>
}

/** What a command line does, in the order of reading. */
export type ShellStep =
  | { kind: 'call'; call: Call }
  | { kind: 'function'; name: string; calls: Call[] }
  | { kind: 'loop'; endless: boolean; calls: Call[] }
  | { kind: 'unreadable'; why: string }

export const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Whether one of these options is given: `f` also within `-rf`, longer names as `--force` or `--force=…`. */
export const has = ({ args }: { args: string[] }, ...names: string[]): boolean => {
  const end = args.indexOf('--')
  return (end < 0 ? args : args.slice(0, end)).some(arg =>
    names.some(name =>
      name.length === 1
        ? /^-[A-Za-z0-9]+$/.test(arg) && arg.includes(name)
        : arg === `--${name}` || arg.startsWith(`--${name}=`) || arg === `-${name}`,
    ),
  )
}

/** The values of an option: `-o x`, `-ox`, `--out x`, `--out=x`. */
export function valuesOf({ args }: { args: string[] }, ...names: string[]): string[] {
  return args.flatMap((arg, i) => {
    for (const name of names) {
      const flag = name.length === 1 ? `-${name}` : `--${name}`
      if (arg === flag) return args[i + 1] === undefined ? [] : [args[i + 1]!]
      if (name.length > 1 && arg.startsWith(`${flag}=`)) return [arg.slice(flag.length + 1)]
      if (name.length === 1 && arg.startsWith(flag) && !arg.startsWith('--')) return [arg.slice(2)]
    }
    return []
  })
}

/** The words that are no options, nor values of these options. */
export function operands(args: string[], withValue: readonly string[] = []): string[] {
  const found: string[] = []
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    if (arg === '--') return [...found, ...args.slice(i + 1)]
    if (!arg.startsWith('-') || arg === '-') found.push(arg)
    else if (withValue.includes(arg)) i++
  }
  return found
}

/** A tool with subcommands: what follows the options before the first of them. */
export function verbs({ args }: Call, withValue: readonly string[] = []): { verb: string; args: string[] } {
  let i = 0
  while (i < args.length && args[i]!.startsWith('-')) i += withValue.includes(args[i]!) ? 2 : 1
  return { verb: args[i] ?? '', args: args.slice(i + 1) }
}
