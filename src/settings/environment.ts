import { matchesAny } from './name-pattern.ts'
import { looksSecret } from './secret.ts'

export type EnvironmentRules = {
  /** The agent's own names: its keys are for it. */
  own: readonly string[]
  /** The user's names and patterns to let through, and to hold back; the latter wins. */
  pass: readonly string[]
  drop: readonly string[]
}

/**
 * What a child process gets of an environment: everything but names that look like a secret of someone else.
 * Marks of an outer run never go on: its sweep would take the children of this run for its own.
 */
export function filterEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  { own, pass, drop }: EnvironmentRules,
): { env: Record<string, string>; leftOut: string[] } {
  const isKept = (name: string): boolean => {
    if (matchesAny(name, drop)) return false
    return SETTINGS.includes(name) || !looksSecret(name) || matchesAny(name, own) || matchesAny(name, pass)
  }
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const unmarked = given.filter(([name]) => !isMark(name))
  return {
    env: Object.fromEntries(unmarked.filter(([name]) => isKept(name))),
    leftOut: unmarked
      .map(([name]) => name)
      .filter(name => !isKept(name))
      .sort(),
  }
}

/** The user's own, for every ralph below, and for the plugin's hooks. */
const SETTINGS = ['RALPH_HOME', 'RALPH_CHARS_PER_TOKEN']

const isMark = (name: string): boolean => name.startsWith('RALPH_') && !SETTINGS.includes(name)
