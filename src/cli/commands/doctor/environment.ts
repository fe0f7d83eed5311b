import { ownNames } from '../../../agents/own-names.ts'
import { looksSecret } from '../../../core/secrets/names.ts'
import { holdsSecret } from '../../../core/secrets/redact.ts'
import { isKeptInDocker } from '../../../host/docker/docker.ts'
import { setInside } from '../../../runners/sandbox/policy.ts'
import { filterEnvironment, isKeptInside } from '../../../settings/environment.ts'
import { matchesAny } from '../../../settings/name-pattern.ts'
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

/** Who gets an environment: an agent by its name, or something else that a run starts. `tier`: the sandbox around it. */
export type Receiver = { of: string; agent: string | null; tier: 'none' | 'srt' | 'docker' }

/**
 * The names of the variables that somebody would get, and of those that are left out; no values. `agents`: all that may
 * work in the run.
 */
export function describeEnvironment(
  { of, agent, tier }: Receiver,
  agents: readonly string[],
  env: Env,
  rules: Settings['env'],
): EnvironmentFact {
  const given = Object.keys(environmentOf(agent, env, rules))
  const set = Object.keys(env).filter(name => env[name] !== undefined)
  const without = (names: readonly string[]) => set.filter(name => !names.includes(name)).sort()
  if (tier === 'none') return { of, gets: given.sort(), leftOut: without(given) }
  const own = agents.flatMap(name => ownNames(name, env))
  if (tier === 'docker') {
    const kept = given.filter(name => isKeptInDocker(name, { own, pass: rules.pass }))
    return { of, gets: kept.sort(), leftOut: without(kept) }
  }
  const isSecret = (name: string) =>
    matchesAny(name, own) && (looksSecret(name) || holdsSecret(env[name] ?? ''))
  const ownInside = setInside(set.some(isSecret))
  const kept = given.filter(name => isKeptInside(name, { own, pass: rules.pass }))
  const replaced = set.filter(name => ownInside.includes(name) || (kept.includes(name) && isSecret(name)))
  const gets = kept.filter(name => !replaced.includes(name))
  return { of, gets: gets.sort(), replaced: replaced.sort(), leftOut: without([...gets, ...replaced]) }
}
