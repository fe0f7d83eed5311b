import { ownNames } from '../../agents/index.ts'
import { estimateUsd, modelIn, priceOf } from '../../agents/prices.ts'
import { learnCapabilities } from '../../agents/probe/capabilities.ts'
import type { Usage } from '../../core/events.ts'
import type { Agent, Ask, Capabilities, Runner } from '../../core/ports.ts'
import type { AgentName, Limits, RunState } from '../../core/table.ts'
import { UsageError } from '../../core/usage-error.ts'
import { findProgram } from '../../runners/find-program.ts'
import { filterEnvironment } from '../../settings/environment.ts'
import type { BaseSpec, RunSpec } from '../../workflows/spec.ts'
import { agentsByRole, agentsOf, programFolders, programIn, type RunAgent } from './agents.ts'

/** Everything that calling one agent takes, without the prompt. */
type CallableAgent = {
  /** What a call cost, if the agent reports only its tokens. Null if the price is not known. */
  estimate(told: string | undefined, usage: Usage): number | null
  agent: Agent
  able: Capabilities
  env: Record<string, string>
  ask: Omit<Ask, 'prompt'>
}

export type AgentPool = {
  /** The agents for a role, in order of preference. */
  namesFor(role?: string): readonly AgentName[]
  callable(name: AgentName): CallableAgent
  /** The first of a role that can be called now; the first of all if none can. */
  free(state: Pick<RunState, 'until' | 'unusable'>, now: number, role?: string): AgentName
}

/** The agents of a run, and everything that calling them takes. A program is asked what it can do only when it is first needed. */
export function openAgents(options: {
  spec: RunSpec
  runner: Pick<Runner, 'start'>
  env: NodeJS.ProcessEnv
  cacheDir: string
}): AgentPool {
  const { settings, project } = options.spec
  const path = options.env.PATH ?? ''
  const agentsFor = agentsByRole(options.spec, path)
  const entries = new Map<AgentName, RunAgent>()
  const prepared = new Map<AgentName, () => CallableAgent>()

  const namesByRole = new Map<string | undefined, readonly AgentName[]>()

  function namesFor(role?: string): readonly AgentName[] {
    const known = namesByRole.get(role)
    if (known) return known
    const agents = agentsFor(role)
    for (const entry of agents) entries.set(entry.name, entry)
    const names = agents.map(({ name }) => name)
    namesByRole.set(role, names)
    return names
  }
  function prepare({ agent, program, ask }: RunAgent): () => CallableAgent {
    const { env } = filterEnvironment(options.env, {
      own: ownNames(agent.name, options.env),
      pass: settings.env.pass,
      drop: settings.env.drop,
    })
    const able = learnCapabilities({
      runner: options.runner,
      agent,
      // The one in a sandbox of its own files may be of another version.
      program:
        program === null || settings.sandbox.mode === 'docker'
          ? null
          : findProgram(programIn(programFolders(options.spec), program), path),
      cacheDir: options.cacheDir,
      cwd: project,
      env,
    })
    const estimate: CallableAgent['estimate'] = (told, usage) => {
      const price = priceOf([told, ...pricedNames({ agent, ask })], settings.prices)
      return price && estimateUsd(price, usage)
    }
    return () => ({ agent, env, ask, able: able(), estimate })
  }
  function callable(name: AgentName): CallableAgent {
    let make = prepared.get(name)
    if (!make) {
      make = prepare(entries.get(name)!)
      prepared.set(name, make)
    }
    return make()
  }
  // Asks the main one now, so that its answer is there when the first iteration begins.
  callable(namesFor()[0]!)
  return {
    namesFor,
    callable,
    free({ until, unusable }, now, role) {
      const names = namesFor(role)
      return names.find(name => unusable[name] === undefined && (until[name] ?? 0) <= now) ?? names[0]!
    },
  }
}

/** What the price of an agent's calls may be listed under: its model, if the command line names it, and its name. */
const pricedNames = ({ agent, ask }: Pick<RunAgent, 'agent' | 'ask'>): (string | null)[] => [
  ask.model,
  modelIn(agent.command({ ...ask, prompt: '' }, { version: null, flags: null }).argv),
  agent.name,
]

/**
 * Refuses a limit that nobody could hold, before the first call: an agent that does not tell what it used would spend
 * without end.
 */
export function requireHeldBudget(spec: BaseSpec, { usd, tokens }: Limits, path: string): void {
  if (usd === null && tokens === null) return
  for (const entry of agentsOf(spec, path)) {
    const why = usd === null ? whyUncounted(entry) : (whyUncounted(entry) ?? whyUnpriced(entry, spec))
    if (why !== null)
      throw new UsageError(
        `${usd === null ? '--max-tokens (budget.tokens)' : '--max-cost (budget.usd)'} cannot be enforced: ${why}`,
      )
  }
}

function whyUncounted({ agent, ask: { mode } }: RunAgent): string | null {
  if (agent.reports(mode) !== null) return null
  const { name } = agent
  return agent.reports('stream') === null
    ? `${name} does not report what it uses; limit the run with -m or --max-time instead`
    : `in text mode ${name} does not report what it uses; leave out --no-stream-agent-output (streamAgentOutput), or limit the run with -m or --max-time`
}

function whyUnpriced({ agent, ask, ...entry }: RunAgent, { settings }: BaseSpec): string | null {
  if (agent.reports(ask.mode) === 'cost') return null
  const names = pricedNames({ agent, ask, ...entry })
  if (priceOf(names, settings.prices)) return null
  const [model] = names.slice(0, -1).filter(Boolean)
  return model
    ? `${agent.name} reports only its tokens, and ralph knows no price for "${model}"; add it to "prices" in the settings`
    : `${agent.name} reports only its tokens, and their price depends on the model; name it with --model, or add a price for "${agent.name}" to "prices" in the settings`
}
