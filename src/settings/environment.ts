import { matchesAny } from './name-pattern.ts'
import { looksSecret } from './secret.ts'

export type EnvironmentRules = {
  /** Names that the agent needs itself, its API keys for example. */
  own: readonly string[]
  /** The user's names and patterns to pass and to drop; `drop` wins. */
  pass: readonly string[]
  drop: readonly string[]
}

/**
 * The environment for a child process: everything but names that look like secrets which the agent does not need. Marks
 * of an outer run are dropped, because its sweep would end the children of this run.
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

/** Set by the user, for nested runs of ralph and for the plugin's hooks. */
const SETTINGS = ['RALPH_HOME', 'RALPH_CHARS_PER_TOKEN']

const isMark = (name: string): boolean => name.startsWith('RALPH_') && !SETTINGS.includes(name)
