import { agentFor } from '../agents/index.ts'
import type { Agent, Ask } from '../core/ports.ts'
import type { AgentName } from '../core/table.ts'
import { UsageError } from '../core/usage-error.ts'
import { findProgram } from '../runners/find-program.ts'
import { resolveFlags } from '../settings/load.ts'
import type { Settings } from '../settings/schema.ts'
import { agentByName, agentOf, askOf, type Plan } from '../workflows/spec.ts'

/** An agent of a run. */
export type Member = {
  /** By which the run knows it: its own name, told apart where two have the same. */
  name: AgentName
  agent: Agent
  /** Its program, to be asked what it can do; null for a command that is run word for word. */
  program: string | null
  ask: Omit<Ask, 'prompt'>
}

type Fallback = Settings['fallbackAgents'][number]

/** The agents of a run, the first to be called first. One that is not installed is left out: it would only fail. */
export function crewOf(plan: Plan, path: string): Member[] {
  const { argv, explicit } = plan.agent
  const main: Member = {
    name: agentOf(plan).name,
    agent: agentOf(plan),
    program: explicit ? null : argv[0]!,
    ask: askOf(plan),
  }
  const crew = [main]
  for (const fallback of fallbacksOf(plan))
    if (isInstalled(fallback.command, path)) crew.push(member(fallback, main.ask, crew))
  return crew
}

/** Those that settings name, but for what is the main agent anyway: it would be limited, too. */
export function fallbacksOf({ settings, agent }: Plan): Fallback[] {
  const mine = { command: agent.argv[0]!, flags: settings.agent.flags, model: agent.model }
  return settings.fallbackAgents.filter(other => agent.explicit || !isSame(mine, other))
}

export const isInstalled = (command: string, path: string): boolean =>
  command === 'demo' || findProgram(command, path) !== null

/** What cannot be asked of a fallback is refused before anything is run, not in the middle of the night. */
export function checkFallbacks({ settings }: Pick<Plan, 'settings'>): void {
  for (const [place, { command, model }] of settings.fallbackAgents.entries())
    if (model !== null && !agentFor(command).isKnown)
      throw new UsageError(
        `fallbackAgents[${place}].model: ralph does not know how to tell "${command}" a model; give it in its flags`,
      )
}

function member(fallback: Fallback, ask: Member['ask'], crew: readonly Member[]): Member {
  const agent = agentByName(fallback.command)
  const taken = (name: string) => crew.some(other => other.name === name)
  const names = [agent.name, ...(fallback.model === null ? [] : [`${agent.name}:${fallback.model}`])]
  return {
    name: names.find(name => !taken(name)) ?? `${agent.name}#${crew.length + 1}`,
    agent,
    program: fallback.command,
    ask: { ...ask, model: fallback.model, flags: resolveFlags(fallback.flags) },
  }
}

const isSame = (a: Fallback, b: Fallback): boolean =>
  a.command === b.command && a.model === b.model && a.flags.join('\0') === b.flags.join('\0')
