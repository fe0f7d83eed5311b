import type { CommonOptions } from '../cli/commands/common.ts'
import type { Limits } from '../core/table.ts'
import { UsageError } from '../core/usage-error.ts'
import { startBranch } from '../git/branch.ts'
import { recordStart } from '../git/start.ts'
import { newRunId, ralphHome } from '../runs/find.ts'
import { hold } from '../runs/hold.ts'
import { projectOf } from '../runs/project.ts'
import { type Flags, loadSettings, resolveFlags } from '../settings/load.ts'
import { type Risk, risks } from '../settings/trust.ts'
import { chooseAgent, gitEnvironment, type Plan, type Terms, takesModel } from '../workflows/spec.ts'
import { checkFallbacks } from './agents.ts'
import { announce, verboseListener, warningsOf } from './announce.ts'
import { dryRun } from './dry-run.ts'
import { conduct } from './host.ts'
import { requireTrust } from './trust.ts'

/** A plan before anything was touched: where the repository stands is recorded last. */
export type Draft<P extends Plan = Plan> = P extends Plan ? Omit<P, 'start'> : never

/** `risks`: what the project's files would run, pass on or loosen. */
export type Ready = { terms: Omit<Terms, 'start'>; sources: string[]; risks: Risk[] }

/** The settings, the agent and the project, from what was typed and what the project's files say. */
export function prepare(options: CommonOptions, agentCommand: string[], flags: Flags = {}): Ready {
  const project = projectOf(options.projectDir)
  const { settings, sources, fromFiles } = loadSettings(project, { ...flagsOf(options), ...flags })
  resolveFlags(settings.agent.flags)
  const wanted = { explicit: agentCommand, name: options.agent, setting: settings.agent.command }
  const agent = { ...chooseAgent(wanted, process.env.PATH ?? ''), model: settings.agent.model }
  if (agent.model !== null && !takesModel(agent))
    throw new UsageError(
      `ralph does not know how to tell "${agent.argv[0]}" a model; give it in the command itself`,
    )
  return {
    terms: { project, settings, agent, once: options.once ?? false },
    sources,
    risks: risks(fromFiles),
  }
}

/** From a plan to the end of the run. */
export async function embark(
  { sources, risks }: Ready,
  plan: Draft,
  limits: Limits,
  options: CommonOptions,
  notes: string[] = [],
): Promise<number> {
  const env = process.env
  const { project, settings } = plan
  checkFallbacks(plan)
  if (options.dryRun) return dryRun({ ...plan, start: null }, limits, env, options.json ?? false)
  const home = ralphHome(env)
  await requireTrust({ home, project, found: risks, flag: options.trust ?? false, env })
  if (options.branch !== undefined) await startBranch(project, options.branch, gitEnvironment(settings, env))
  const whole: Plan = { ...plan, start: await recordStart(project, gitEnvironment(settings, env)) }
  const id = newRunId(new Date(), Math.random())
  const loud = { json: options.json ?? false, quiet: options.quiet ?? false }
  return hold({ home, id, project, shared: options.shared ?? false }, () =>
    conduct({
      home,
      id,
      plan: whole,
      limits,
      past: [],
      warnings: [...warningsOf(whole, env), ...notes],
      loud,
      env,
      announce: () => loud.json || loud.quiet || announce(id, whole, limits, env),
      onEvent: options.verbose ? verboseListener(whole, limits, sources, env) : undefined,
    }),
  )
}

/** The flags that override a setting, in the settings' own shape. */
function flagsOf(o: CommonOptions): Flags {
  const set = <T>(key: string, value: T | undefined) => (value === undefined ? {} : { [key]: value })
  return {
    ...set('streamAgentOutput', o.streamAgentOutput),
    ...set('inactivityTimeout', o.inactivityTimeout),
    ...set('iterationTimeout', o.iterationTimeout),
    ...(o.model === undefined ? {} : { agent: { model: o.model } }),
    budget: {
      ...set('usd', o.maxCost),
      ...set('tokens', o.maxTokens),
      ...set('minutes', o.maxTime === undefined ? undefined : o.maxTime / 60),
    },
  }
}

/** What -m, -n and --once come to; undefined: nothing was said. */
export const iterationsOf = (o: CommonOptions): number | undefined =>
  o.once ? 1 : (o.maxIterations ?? o.maximumIterations)
