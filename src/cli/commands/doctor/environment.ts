import { ownNames } from '../../../agents/own-names.ts'
import { filterEnvironment } from '../../../settings/environment.ts'
import type { Settings } from '../../../settings/schema.ts'
import type { EnvironmentFact } from './facts.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** The environment of a child, as `ralph run` would make it; for a child that is no agent, `agent` is null. */
export function environmentOf(
  agent: string | null,
  env: Env,
  { pass, drop }: Settings['env'],
): Record<string, string> {
  const own = agent === null ? [] : ownNames(agent, env)
  return filterEnvironment(env, { own, pass, drop }).env
}

/** Its names alone, and those that are left out. */
export function describeEnvironment(of: string, given: Record<string, string>, env: Env): EnvironmentFact {
  const set = Object.keys(env).filter(name => env[name] !== undefined)
  return {
    of,
    gets: Object.keys(given).sort(),
    leftOut: set.filter(name => !Object.hasOwn(given, name)).sort(),
  }
}
