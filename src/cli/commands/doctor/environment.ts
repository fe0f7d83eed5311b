import { ownNames } from '../../../agents/own-names.ts'
import { filterEnvironment } from '../../../settings/environment.ts'
import type { Settings } from '../../../settings/schema.ts'
import type { EnvironmentFact } from './facts.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** The environment that `ralph run` would give a child process; `agent` is null for one that is not an agent. */
export function environmentOf(
  agent: string | null,
  env: Env,
  { pass, drop }: Settings['env'],
): Record<string, string> {
  const own = agent === null ? [] : ownNames(agent, env)
  return filterEnvironment(env, { own, pass, drop }).env
}

/** The names of its variables, and of those that are left out; no values. */
export function describeEnvironment(of: string, given: Record<string, string>, env: Env): EnvironmentFact {
  const set = Object.keys(env).filter(name => env[name] !== undefined)
  return {
    of,
    gets: Object.keys(given).sort(),
    leftOut: set.filter(name => !Object.hasOwn(given, name)).sort(),
  }
}
