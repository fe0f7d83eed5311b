import type { Capabilities } from '../../core/ports.ts'

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
