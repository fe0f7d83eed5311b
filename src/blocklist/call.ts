/** A program that a command line would start, with what is known of its words before it runs. */
export type Call = {
  /** The program without its folder and version; '' for a redirection alone. */
  name: string
  words: string[]
  args: string[]
  redirects: { op: string; target: string; body: string | null }[]
  /** What its standard input would be: the calls that print it, and the text if that is known. */
  input: { calls: Call[]; text: string | null }
  /** All calls of its pipeline, itself among them. */
  pipeline: Call[]
  background: boolean
  /** The project: the absolute path of the folder that the whole command line runs in. */
  project: string
  /** The folder that this call runs in, as `cd` before it names it: from the project, or whole. */
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

/** The words of a table. */
export const list = (words: string): string[] => words.split(' ')

/**
 * Whether one of these options is given: `f` also within `-rf`, longer names as `--force`, `--force=…`, `-force`, or by
 * their beginning: `--forc`.
 */
export function has({ args }: { args: string[] }, names: string): boolean {
  const end = args.indexOf('--')
  const options = (end < 0 ? args : args.slice(0, end)).filter(arg => arg.startsWith('-'))
  return list(names).some(name =>
    options.some(arg =>
      name.length === 1
        ? /^-[A-Za-z0-9]+$/.test(arg) && arg.includes(name)
        : arg === `-${name}` ||
          arg.startsWith(`--${name}=`) ||
          (arg.length > 3 && `--${name}`.startsWith(arg)),
    ),
  )
}

/** The values of options: `-o x`, `-ox`, `--out x`, `--out=x`. */
export function valuesOf({ args }: { args: string[] }, names: string): string[] {
  return args.flatMap((arg, i) => {
    for (const name of list(names)) {
      const flag = name.length === 1 ? `-${name}` : `--${name}`
      if (arg === flag) return args.slice(i + 1, i + 2)
      if (name.length > 1 && arg.startsWith(`${flag}=`)) return [arg.slice(flag.length + 1)]
      if (name.length === 1 && arg.startsWith(flag) && !arg.startsWith('--')) return [arg.slice(2)]
    }
    return []
  })
}

/** The words that are neither options nor values of these options. */
export function operands(args: string[], withValue = ''): string[] {
  const values = list(withValue)
  const found: string[] = []
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    if (arg === '--') return [...found, ...args.slice(i + 1)]
    if (!arg.startsWith('-') || arg === '-') found.push(arg)
    else if (values.includes(arg)) i++
  }
  return found
}
