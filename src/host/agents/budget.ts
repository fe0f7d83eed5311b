import { modelIn, priceOf } from '../../agents/prices.ts'
import type { Limits } from '../../core/table.ts'
import { UsageError } from '../../core/usage-error.ts'
import type { BaseSpec } from '../../workflows/spec.ts'
import { agentsOf, type RunAgent } from './agents.ts'

/** What the price of an agent's calls may be listed under: its model, as far as the command line tells, and its name. */
export const pricedNames = ({ agent, ask }: Pick<RunAgent, 'agent' | 'ask'>): (string | null)[] => [
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
