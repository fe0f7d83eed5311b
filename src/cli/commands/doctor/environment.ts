import { ownNames } from '../../../agents/index.ts'
import { holdsSecret, looksSecret } from '../../../core/secrets.ts'
import { agentByName } from '../../../host/agents/agents.ts'
import { isKeptInDocker } from '../../../host/docker/docker.ts'
import { setInside } from '../../../runners/sandbox/policy.ts'
import { filterEnvironment, isKeptInside } from '../../../settings/environment.ts'
import { matchesAny } from '../../../settings/names.ts'
import type { Settings } from '../../../settings/schema.ts'
import type { PickedAgent } from './agents.ts'
import type { Setup } from './finding.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The variables that a child process would get, and those that it would not. Names only, never values. `replaced`: with
 * another value, from the sandbox. Absent if it would be in none.
 */
export type EnvironmentFact = { of: string; gets: string[]; replaced?: string[]; leftOut: string[] }

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
type Receiver = { of: string; agent: string | null; tier: 'none' | 'srt' | 'docker' }

/**
 * The names of the variables that somebody would get, and of those that are left out, without values. `agents`: all that may
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

/** What everyone gets that a run starts: the agents of all roles, the checks, and a push if that is another matter. */
export function describeEnvironments(
  { env, settings, rules }: Setup,
  pick: PickedAgent,
  tier: Receiver['tier'],
): EnvironmentFact[] {
  const others = [...(settings?.fallbackAgents ?? []), ...Object.values(settings?.agents ?? {})]
  const names = others.flatMap(({ command }) => (command ? agentByName(command).name : []))
  const agents = pick.type === 'none' ? [] : [...new Set([pick.name, ...names])]
  const ofChecks = settings?.sandbox.checks === 'outside' ? 'none' : tier
  const receivers: Receiver[] = [
    ...agents.map(agent => ({ of: agent, agent, tier })),
    { of: 'guardrails', agent: null, tier: ofChecks },
    ...(ofChecks === 'none' ? [] : [{ of: 'push', agent: null, tier: 'none' as const }]),
  ]
  return receivers.map(receiver => describeEnvironment(receiver, agents, env, rules))
}
