import { looksSecret } from '../core/secrets/names.ts'
import { holdsSecret } from '../core/secrets/redact.ts'
import { matchesAny } from './name-pattern.ts'

export type EnvironmentRules = {
  /** Names that the agent needs itself, its API keys for example. */
  own: readonly string[]
  /** The user's names and patterns to pass and to drop; `drop` wins. */
  pass: readonly string[]
  drop: readonly string[]
}

/**
 * The environment for a child process: everything but what looks like a secret, by its name or its value,
 * and which the agent does not need. Marks
 * of an outer run are dropped, because its sweep would end the children of this run.
 */
export function filterEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  { own, pass, drop }: EnvironmentRules,
): { env: Record<string, string>; leftOut: string[] } {
  const isKept = ([name, value]: [string, string]): boolean => {
    if (matchesAny(name, drop)) return false
    if (SETTINGS.includes(name) || matchesAny(name, own) || matchesAny(name, pass)) return true
    return !looksSecret(name) && !holdsSecret(value)
  }
  const given = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const unmarked = given.filter(([name]) => !isMark(name))
  return {
    env: Object.fromEntries(unmarked.filter(isKept)),
    leftOut: unmarked
      .filter(entry => !isKept(entry))
      .map(([name]) => name)
      .sort(),
  }
}

/** Set by the user, for nested runs of ralph and for the plugin's hooks. */
const SETTINGS = ['RALPH_HOME', 'RALPH_CHARS_PER_TOKEN']

const isMark = (name: string): boolean => name.startsWith('RALPH_') && !SETTINGS.includes(name)
