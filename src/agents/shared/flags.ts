import type { Capabilities } from '../../core/ports.ts'

/**
 * Whether the user's own words already give one of these flags, in any spelling a command line allows:
 * `--model x`, `--model=x`, `-m x`, `-mx`.
 */
export const given = (words: readonly string[], ...flags: string[]): boolean =>
  words.some(word =>
    flags.some(flag =>
      flag.startsWith('--') ? word === flag || word.startsWith(`${flag}=`) : word.startsWith(flag),
    ),
  )

/** Whether the program takes a flag; one whose help nobody read is taken to be the one that was measured. */
const takes = (able: Capabilities, flag: string): boolean => able.flags === null || able.flags.has(flag)

/** A flag and its value, unless the program is known not to take it: flags come and go, and an unknown one is fatal. */
export const offer = (able: Capabilities, flag: string, ...value: string[]): string[] =>
  takes(able, flag) ? [flag, ...value] : []
