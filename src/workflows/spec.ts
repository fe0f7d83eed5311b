import { demo } from '../agents/demo.ts'
import { agentFor, explicitAgent, known } from '../agents/index.ts'
import type { Guardrail } from '../checks/guardrail.ts'
import type { Agent, Ask } from '../core/ports.ts'
import type { Limits } from '../core/table.ts'
import { UsageError } from '../core/usage-error.ts'
import type { Start } from '../git/start.ts'
import { pluginFolder } from '../host/plugin-folder.ts'
import { findProgram } from '../runners/find-program.ts'
import { filterEnvironment } from '../settings/environment.ts'
import { resolveFlags } from '../settings/load.ts'
import { merge } from '../settings/merge.ts'
import { resolve, type Settings } from '../settings/schema.ts'
import type { Planned } from './build/rules/planned.ts'
import type { StoriesFile } from './stories/rules/story-file.ts'

/** Everything a run's rules rest on. Pinned in the journal's first event, so that a resumed run keeps to them. */
export type Plan = PromptPlan | BuildPlan | StoriesPlan

/** What every plan has. */
export type Terms = {
  project: string
  settings: Settings
  agent: { argv: string[]; explicit: boolean; model: string | null }
  /** One iteration is all that was asked for. */
  once: boolean
  /** The repository as it was found; null outside one. */
  start: Start | null
}

export type PromptPlan = Terms & {
  workflow: 'prompt'
  prompt: { type: 'text'; text: string } | { type: 'file'; path: string }
  condition: { response: string | null; pattern: string | null }
}

export type BuildPlan = Terms & {
  workflow: 'tasks'
  /** What is to be built: in words, from a file, or a list that somebody made. */
  goal: { type: 'goal'; text: string } | { type: 'spec' | 'list'; path: string; text: string }
  refine: 'ask' | 'auto' | 'off'
  /** Whether the list is shown for approval, where somebody can be asked. */
  asks: boolean
  planOnly: boolean
  /** The list, where it need not be planned. */
  list: Planned | null
}

export type StoriesPlan = Terms & {
  workflow: 'stories'
  /** The folder with the stories, as seen from the project. */
  dir: string
  /** Where tasks.json led to when the run began, if it was a link to a file within the project. */
  target?: string
  /** The story file as the run found it: what its stories ask for, and what verifies them. */
  file: StoriesFile
  review: { cap: number; skip: boolean; atCap: 'approve' | 'block' }
}

/** The plan that a journal keeps. Settings that came with a later ralph have their defaults. */
export const pinnedPlan = (pins: Record<string, unknown>): Plan => ({
  ...(pins as Plan),
  settings: merge(resolve({}), pins.settings) as Settings,
})

export function agentOf({ agent: { argv, explicit } }: Plan): Agent {
  return explicit ? explicitAgent(argv) : agentByName(argv[0]!)
}

export const agentByName = (command: string): Agent => (command === 'demo' ? demo() : agentFor(command).agent)

/** Whether ralph knows how this agent takes a model. */
export const takesModel = ({ argv, explicit }: Plan['agent']): boolean =>
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

/** What ralph's own git calls and the guardrails get: no agent's keys. */
export const gitEnvironment = (settings: Settings, env: NodeJS.ProcessEnv): Record<string, string> =>
  filterEnvironment(env, { own: [], pass: settings.env.pass, drop: settings.env.drop }).env

/** What an agent is asked at every call, but for the prompt. */
export const askOf = (plan: Plan): Omit<Ask, 'prompt'> => ({
  model: plan.agent.model,
  flags: resolveFlags(plan.settings.agent.flags),
  mode: plan.settings.streamAgentOutput ? 'stream' : 'text',
  budgetUsd: plan.settings.budget.usd,
  root: process.getuid?.() === 0,
  plugin: pluginFolder(),
  ...plan.settings.claude,
})

export const commandGuardrails = (settings: Settings): Guardrail[] =>
  settings.guardrails.filter(g => g.verify === undefined)

export function limitsOf(settings: Settings): Limits {
  const { budget } = settings
  return {
    iterations: settings.maximumIterations,
    failures: settings.maxConsecutiveFailures,
    crashes: 3,
    stuck: settings.stuckAfter,
    empties: 2,
    limitWaitMs: settings.maxLimitWait * 1000,
    usd: budget.usd,
    tokens: budget.tokens,
    ms: budget.minutes === null ? null : budget.minutes * 60_000,
    additions: 200,
  }
}
