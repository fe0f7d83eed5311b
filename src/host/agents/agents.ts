import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { agentFor, demoCli, explicitAgent, known } from '../../agents/index.ts'
import type { Agent, Ask } from '../../core/ports.ts'
import type { AgentName } from '../../core/table.ts'
import { UsageError } from '../../core/usage-error.ts'
import { findProgram } from '../../runners/find-program.ts'
import { resolveFlags } from '../../settings/load.ts'
import { nearestName } from '../../settings/names.ts'
import type { Settings } from '../../settings/schema.ts'
import type { BaseSpec } from '../../workflows/spec.ts'

/** An agent of a run. */
export type RunAgent = {
  /** The name that the run uses for it. It is unique, also where two agents are the same CLI. */
  name: AgentName
  agent: Agent
  /** The program whose help says what it can do. Null for a command that runs exactly as it was given. */
  program: string | null
  ask: Omit<Ask, 'prompt'>
}

/** An agent as settings name it. */
type AgentChoice = Settings['fallbackAgents'][number]

/** The agents of a run that has no roles, in order of preference. */
export const agentsOf = (spec: BaseSpec, path: string): RunAgent[] => agentsByRole(spec, path)()

/**
 * The agents for each role: the one that `agents.<role>` names, otherwise the main one, then the fallbacks. A fallback that
 * is not installed is left out, because it would only fail. An agent that several roles share is one agent: a limit
 * that it meets in one role holds in all of them.
 */
export function agentsByRole(spec: BaseSpec, path: string): (role?: string) => RunAgent[] {
  const { argv, explicit } = spec.agent
  const main: RunAgent = {
    name: agentOf(spec).name,
    agent: agentOf(spec),
    program: explicit ? null : argv[0]!,
    ask: askOf(spec),
  }
  const known: { choice: AgentChoice | null; entry: RunAgent }[] = [
    { choice: explicit ? null : mainChoice(spec), entry: main },
  ]
  const entryFor = (choice: AgentChoice): RunAgent => {
    const found = known.find(other => other.choice && isSame(other.choice, choice))
    if (found) return found.entry
    const entry = runAgent(
      choice,
      main.ask,
      known.map(({ entry }) => entry.name),
    )
    known.push({ choice, entry })
    return entry
  }
  const fallbacks = fallbacksOf(spec)
    .filter(({ command }) => isInstalled(command, path, programFolders(spec)))
    .map(entryFor)
  return role => {
    const own = roleChoice(spec, role)
    const first = own ? entryFor({ ...mainChoice(spec), ...own }) : main
    return [first, ...fallbacks.filter(entry => entry !== first)]
  }
}

type RoleAgents = Readonly<Record<string, Partial<AgentChoice> | undefined>>

/** What the settings say about a role. The judge is like the coder, so that the code goes to nobody else unasked. */
function roleChoice({ settings }: BaseSpec, role: string | undefined): Partial<AgentChoice> | undefined {
  const roles = settings.agents as RoleAgents
  return role === undefined ? undefined : (roles[role] ?? (role === 'judge' ? roles.coder : undefined))
}

/** Refuses an agent of a role that is not installed, or that cannot take its model, before anything runs. */
export function checkRoleAgents(
  { settings, project }: Pick<BaseSpec, 'settings' | 'project'>,
  path: string,
): void {
  for (const [role, choice] of Object.entries(settings.agents as RoleAgents)) {
    const command = choice?.command
    if (command === undefined) continue
    if (!isInstalled(command, path, [project]))
      throw new UsageError(
        `agents.${role}: "${command}" ${missingFrom(command)}; install it, or choose another`,
      )
    if ((choice?.model ?? null) !== null && !agentFor(command).isKnown)
      throw new UsageError(
        `agents.${role}.model: ralph does not know how to tell "${command}" a model; give it in its flags`,
      )
  }
}

const mainChoice = ({ agent, settings }: BaseSpec): AgentChoice => ({
  command: agent.argv[0]!,
  flags: settings.agent.flags,
  model: agent.model,
})

/** The fallback agents of the settings, without the main agent itself, which would be limited too. */
export const fallbacksOf = (spec: BaseSpec): AgentChoice[] =>
  spec.settings.fallbackAgents.filter(other => spec.agent.explicit || !isSame(mainChoice(spec), other))

/** `folders`: where a relative path to it may begin. */
export const isInstalled = (command: string, path: string, folders: readonly string[]): boolean =>
  command === 'demo' || findProgram(programIn(folders, command), path) !== null

/** Agents start in the project. A path to one that was typed, or is meant, in another folder is made absolute. */
export const pathFrom = (folder: string, program: string, project: string): string =>
  program.includes('/') && project !== process.cwd() ? resolve(folder, program) : program

/** Where a relative path to an agent may begin: the project, and for a worker's worktree the one that it was made from. */
export const programFolders = ({ project, sessions }: Pick<BaseSpec, 'project' | 'sessions'>): string[] =>
  sessions === undefined ? [project] : [project, sessions]

/** The words that start an agent in a folder. A relative path that leads to no program there begins in `folders`. */
export function argvIn(cwd: string, argv: readonly string[], folders: readonly string[]): string[] {
  const [program, ...args] = argv as [string, ...string[]]
  const isThere = !program.includes('/') || findProgram(resolve(cwd, program), '') !== null
  return [isThere ? program : programIn(folders, program), ...args]
}

/** A relative path to a program, from the first of these folders that has it; a name of PATH as it is. */
export function programIn(folders: readonly string[], program: string): string {
  if (!program.includes('/') || isAbsolute(program)) return program
  const paths = folders.map(folder => resolve(folder, program))
  return paths.find(path => findProgram(path, '') !== null) ?? paths[0]!
}

/** Refuses a model for a fallback that cannot take one, before anything runs. */
export function checkFallbacks({ settings }: Pick<BaseSpec, 'settings'>): void {
  for (const [place, { command, model }] of settings.fallbackAgents.entries())
    if (model !== null && !agentFor(command).isKnown)
      throw new UsageError(
        `fallbackAgents[${place}].model: ralph does not know how to tell "${command}" a model; give it in its flags`,
      )
}

function runAgent(
  { command, model, flags }: AgentChoice,
  ask: RunAgent['ask'],
  taken: readonly AgentName[],
): RunAgent {
  const agent = agentByName(command)
  const names = [agent.name, ...(model === null ? [] : [`${agent.name}:${model}`])]
  return {
    name: names.find(name => !taken.includes(name)) ?? `${agent.name}#${taken.length + 1}`,
    agent,
    program: command,
    ask: { ...ask, model, flags: resolveFlags(flags) },
  }
}

const isSame = (a: AgentChoice, b: AgentChoice): boolean =>
  a.command === b.command && a.model === b.model && a.flags.join('\0') === b.flags.join('\0')

export function agentOf({ agent: { argv, explicit } }: BaseSpec): Agent {
  return explicit ? explicitAgent(argv) : agentByName(argv[0]!)
}

export const agentByName = (command: string): Agent =>
  command === 'demo' ? demoCli() : agentFor(command).agent

/** Whether it prints events as they happen, so that nothing else need tell what it does. */
export const hasStream = (agent: Agent, mode: Ask['mode']): boolean => !agent.plain && mode === 'stream'

/** Whether ralph knows how this agent takes a model. */
export const takesModel = ({ argv, explicit }: BaseSpec['agent']): boolean =>
  !explicit && isKnownAgent(argv[0]!)

/** Whether ralph can read this agent's stream. */
export const isKnownAgent = (command: string): boolean => agentFor(command).isKnown

/** The words typed after `--`. Without them, the agent named by a flag or the settings, or the first one installed. */
export function chooseAgent(
  wanted: { explicit: string[]; name: string | undefined; setting: string | null },
  path: string,
): { argv: string[]; explicit: boolean } {
  if (wanted.explicit.length > 0) {
    if (wanted.name !== undefined)
      throw new UsageError(
        `--agent ${wanted.name} and the command after -- both name the agent; give one of them`,
      )
    mustExist(wanted.explicit[0]!, path, OTHER_AGENT)
    return { argv: wanted.explicit, explicit: true }
  }
  const name = wanted.name ?? wanted.setting
  if (name) {
    if (name !== 'demo') mustExist(name, path, OTHER_AGENT)
    return { argv: [name], explicit: false }
  }
  const found = [...known.keys()].find(cli => findProgram(cli, path))
  if (!found)
    throw new UsageError(
      `no agent found on PATH (looked for ${[...known.keys()].join(', ')}); install one (ralph doctor says how), name one with --agent, or see one at work with: ralph demo`,
    )
  return { argv: [found], explicit: false }
}

const OTHER_AGENT = ', or choose another with --agent'

/** `instead`: how the advice to install it goes on. */
function mustExist(program: string, path: string, instead: string): void {
  if (findProgram(program, path)) return
  const meant = known.has(program) ? null : nearestName(program, [...known.keys(), 'demo'])
  const npmPackage = known.get(program)?.npmPackage
  const how = npmPackage === undefined ? '' : ` (npm install -g ${npmPackage})`
  throw new UsageError(
    `agent "${program}" ${missingFrom(program)}; ${meant === null ? '' : `did you mean ${meant}? Otherwise `}install it${how}${instead}`,
  )
}

const missingFrom = (program: string): string =>
  program.includes('/') ? 'does not exist or cannot be executed' : 'is not on PATH'

/** Refuses to continue a run whose agent is gone: every iteration would fail. */
export function requireAgent(spec: BaseSpec, path: string): void {
  const { argv, explicit } = spec.agent
  const program = argv[0]!
  if (program === 'demo' && !explicit) return
  mustExist(programIn(programFolders(spec), program), path, ', then: ralph resume')
}

/** Everything a call of the agent depends on, without the prompt. */
const askOf = (spec: BaseSpec): Omit<Ask, 'prompt'> => ({
  model: spec.agent.model,
  flags: resolveFlags(spec.settings.agent.flags),
  mode: spec.settings.streamAgentOutput ? 'stream' : 'text',
  budgetUsd: spec.settings.budget.usd,
  root: process.getuid?.() === 0,
  confined: ['srt', 'docker'].includes(spec.settings.sandbox.mode),
  plugin: pluginFolder(),
  ...spec.settings.claude,
})

/** Where ralph is installed: the folder above the program's own. Its name on PATH is a link. */
export function packageFolder(): string | null {
  try {
    return dirname(dirname(realpathSync(process.argv[1] ?? '')))
  } catch {
    return null
  }
}

/** The folder of the Claude Code plugin. Null if this installation has none. */
export function pluginFolder(): string | null {
  const folder = join(packageFolder() ?? '', 'plugin')
  return existsSync(join(folder, '.claude-plugin', 'plugin.json')) ? folder : null
}

/** The folder that is the plugin's marketplace to claude. */
export const marketplaceFolder = (plugin: string): string => dirname(plugin)
