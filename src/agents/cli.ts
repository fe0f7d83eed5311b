import type { Agent, Capabilities, Needs } from '../core/ports.ts'
import type { LoadedFile } from './loads/entries.ts'

/** Everything ralph knows about one coding-agent CLI. */
export type Cli = {
  /** `program`: the name or path to run it by. */
  make(program?: string): Agent
  /** Matches the word by which a command line asks it for a stream. */
  streamWord: RegExp
  lastWritten?: Agent['lastWritten']
  /** The arguments with which it lists the flags that ralph gives it. */
  helpArgs: readonly string[]
  /** Variables that it gets although their names look secret: names, or patterns with `*`. */
  ownEnv: readonly string[]
  /** More of them, for a provider behind it: each list only while the variable that is its key is on. */
  ownEnvWhen?: Readonly<Record<string, readonly string[]>>
  /** How a run is paid for, by the variable that is set; the first that applies counts, and otherwise its own login. */
  payments: readonly Payment[]
  /** What it loads from a project by itself and that can run something. */
  loads: readonly LoadedFile[]
  /** What it needs of the world outside the project, for a sandbox. Paths are relative to the user's home. */
  needs: Needs
  npmPackage: string
}

/** Who pays for a run while a variable is set. */
export type Payment = { variable: string; kind: string }

export const apiKeys = (...variables: string[]): Payment[] =>
  variables.map(variable => ({ variable, kind: 'API key' }))

/**
 * Whether the user's own words already include one of these flags, in any spelling a command line allows:
 * `--model x`, `--model=x`, `-m x`, `-mx`.
 */
export const hasFlag = (words: readonly string[], ...flags: string[]): boolean =>
  words.some(word =>
    flags.some(flag =>
      flag.startsWith('--') ? word === flag || word.startsWith(`${flag}=`) : word.startsWith(flag),
    ),
  )

/** Whether the program accepts a flag. As long as nobody has read its help, it is assumed to. */
const accepts = (able: Capabilities, flag: string): boolean => able.flags === null || able.flags.has(flag)

/** A flag and its value, unless this version does not accept it: flags come and go, and an unknown one is fatal. */
export const ifSupported = (able: Capabilities, flag: string, ...value: string[]): string[] =>
  accepts(able, flag) ? [flag, ...value] : []
