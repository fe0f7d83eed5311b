import { demo } from '../agents/demo.ts'
import { agentFor, explicitAgent, known } from '../agents/index.ts'
import type { Agent, Ask } from '../core/ports.ts'
import type { AgentName } from '../core/table.ts'
import { UsageError } from '../core/usage-error.ts'
import { findProgram } from '../runners/find-program.ts'
import { resolveFlags } from '../settings/load.ts'
import type { Settings } from '../settings/schema.ts'
import type { BaseSpec } from '../workflows/spec.ts'
import { pluginFolder } from './plugin-folder.ts'

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
export function crewOf(spec: BaseSpec, path: string): Member[] {
  const { argv, explicit } = spec.agent
  const main: Member = {
    name: agentOf(spec).name,
    agent: agentOf(spec),
    program: explicit ? null : argv[0]!,
    ask: askOf(spec),
  }
  const crew = [main]
  for (const fallback of fallbacksOf(spec))
    if (isInstalled(fallback.command, path)) crew.push(member(fallback, main.ask, crew))
  return crew
}

/** Those that settings name, but for what is the main agent anyway: it would be limited, too. */
export function fallbacksOf({ settings, agent }: BaseSpec): Fallback[] {
  const mine = { command: agent.argv[0]!, flags: settings.agent.flags, model: agent.model }
  return settings.fallbackAgents.filter(other => agent.explicit || !isSame(mine, other))
}

export const isInstalled = (command: string, path: string): boolean =>
  command === 'demo' || findProgram(command, path) !== null

/** What cannot be asked of a fallback is refused before anything is run, not in the middle of the night. */
export function checkFallbacks({ settings }: Pick<BaseSpec, 'settings'>): void {
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

export function agentOf({ agent: { argv, explicit } }: BaseSpec): Agent {
  return explicit ? explicitAgent(argv) : agentByName(argv[0]!)
}

export const agentByName = (command: string): Agent => (command === 'demo' ? demo() : agentFor(command).agent)

/** Whether ralph knows how this agent takes a model. */
export const takesModel = ({ argv, explicit }: BaseSpec['agent']): boolean =>
  !explicit && agentFor(argv[0]!).isKnown

/** The words typed after `--`, else the agent named by a flag or the settings, else the first one installed. */
export function chooseAgent(
  wanted: { explicit: string[]; name: string | undefined; setting: string | null },
  path: string,
): { argv: string[]; explicit: boolean } {
  if (wanted.explicit.length > 0) {
    if (wanted.name !== undefined)
      throw new UsageError(
        `--agent ${wanted.name} and the command after -- both name the agent; give one of them`,
      )
    mustExist(wanted.explicit[0]!, path)
    return { argv: wanted.explicit, explicit: true }
  }
  const name = wanted.name ?? wanted.setting
  if (name) {
    if (name !== 'demo') mustExist(name, path)
    return { argv: [name], explicit: false }
  }
  const found = [...known.keys()].find(cli => findProgram(cli, path))
  if (!found)
    throw new UsageError(
      `no agent found on PATH (looked for ${[...known.keys()].join(', ')}); install one (ralph doctor tells how), name one with --agent, or see one at work with: ralph demo`,
    )
  return { argv: [found], explicit: false }
}

function mustExist(program: string, path: string): void {
  if (findProgram(program, path)) return
  const where = program.includes('/') ? 'does not exist or cannot be executed' : 'is not on PATH'
  throw new UsageError(`agent "${program}" ${where}; install it, or choose another with --agent`)
}

/** What an agent is asked at every call, but for the prompt. */
const askOf = (spec: BaseSpec): Omit<Ask, 'prompt'> => ({
  model: spec.agent.model,
  flags: resolveFlags(spec.settings.agent.flags),
  mode: spec.settings.streamAgentOutput ? 'stream' : 'text',
  budgetUsd: spec.settings.budget.usd,
  root: process.getuid?.() === 0,
  plugin: pluginFolder(),
  ...spec.settings.claude,
})
