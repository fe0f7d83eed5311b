import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { UsageError } from '../core/usage-error.ts'
import { startBranch } from '../git/branch.ts'
import { recordStart } from '../git/start.ts'
import { type Flags, loadSettings, resolveFlags } from '../settings/load.ts'
import { newRunId, ralphHome } from '../store/runs.ts'
import { announce, dryRun, verboseListener, warningsOf } from './announce.ts'
import type { RunOptions } from './commands/run.ts'
import { conduct } from './conduct.ts'
import { checkFallbacks } from './crew.ts'
import { checkPattern } from './done-pattern.ts'
import { hold } from './hold.ts'
import { chooseAgent, gitEnvironment, limitsOf, type Plan, takesModel } from './plan.ts'
import { projectOf } from './project.ts'
import { requireTrust } from './trust-gate.ts'

/** From the words typed to the end of the run. */
export async function startRun(options: RunOptions, agentCommand: string[]): Promise<number> {
  const env = process.env
  const project = projectOf(options.projectDir)
  const { settings, sources, fromFiles } = loadSettings(project, flagsOf(options))
  resolveFlags(settings.agent.flags)
  if (options.donePattern !== undefined) checkPattern(options.donePattern)
  const plan: Omit<Plan, 'start'> = {
    project,
    settings,
    agent: {
      ...chooseAgent(
        { explicit: agentCommand, name: options.agent, setting: settings.agent.command },
        env.PATH ?? '',
      ),
      model: settings.agent.model,
    },
    prompt: promptOf(options),
    condition: { response: settings.completionResponse.trim() || null, pattern: options.donePattern ?? null },
    once: options.once ?? false,
  }
  if (plan.agent.model !== null && !takesModel(plan.agent))
    throw new UsageError(
      `ralph does not know how to tell "${plan.agent.argv[0]}" a model; give it in the command itself`,
    )
  checkFallbacks(plan)
  if (options.dryRun) return dryRun({ ...plan, start: null }, env)

  const home = ralphHome(env)
  await requireTrust({ home, project, fromFiles, flag: options.trust ?? false, env })
  if (options.branch !== undefined) await startBranch(project, options.branch, gitEnvironment(settings, env))
  const whole: Plan = { ...plan, start: await recordStart(project, gitEnvironment(settings, env)) }
  const id = newRunId(new Date(), Math.random())
  const loud = { json: options.json ?? false, quiet: options.quiet ?? false }
  return hold({ home, id, project, shared: options.shared ?? false }, () =>
    conduct({
      home,
      id,
      plan: whole,
      limits: limitsOf(settings),
      past: [],
      warnings: warningsOf(whole, env),
      loud,
      env,
      announce: () => loud.json || loud.quiet || announce(id, whole, limitsOf(settings), env),
      onEvent: options.verbose ? verboseListener(whole, sources, env) : undefined,
    }),
  )
}

function promptOf({ prompt, promptFile }: RunOptions): Plan['prompt'] {
  if ((prompt === undefined) === (promptFile === undefined))
    throw new UsageError('give exactly one of --prompt (-p) and --prompt-file (-f)')
  if (promptFile === undefined) {
    if (prompt!.trim() === '') throw new UsageError('--prompt is empty')
    return { type: 'text', text: prompt! }
  }
  const path = isAbsolute(promptFile) ? promptFile : join(resolve('.'), promptFile)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    const why =
      { ENOENT: 'not found', EISDIR: 'is a folder, not a file' }[code ?? ''] ?? `cannot be read (${code})`
    throw new UsageError(`prompt file ${promptFile}: ${why}`)
  }
  // What is no file (a pipe) can be read only once.
  return statSync(path).isFile() ? { type: 'file', path } : { type: 'text', text }
}

/** The flags that override a setting, in the settings' own shape. */
function flagsOf(o: RunOptions): Flags {
  const set = <T>(key: string, value: T | undefined) => (value === undefined ? {} : { [key]: value })
  return {
    ...set('maximumIterations', o.once ? 1 : (o.maxIterations ?? o.maximumIterations)),
    ...set('completionResponse', o.completionResponse),
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
