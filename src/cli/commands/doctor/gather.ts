import { resolve } from 'node:path'
import { agentByName } from '../../../host/agents/agents.ts'
import { checkedVersion } from '../../../host/docker/record.ts'
import type { RunCommand } from '../../../runners/run-command.ts'
import type { Missing } from '../../../runners/sandbox/programs.ts'
import { ralphHome } from '../../../runs/find.ts'
import type { Settings } from '../../../settings/schema.ts'
import { examineAgents, findFallbacks, pickAgent } from './agents.ts'
import { describeEnvironment, environmentOf, type Receiver } from './environment.ts'
import { type EnvironmentFact, type Facts, type PickedAgent, tierOf } from './facts.ts'
import { examineFolder } from './folders.ts'
import { examineLogout } from './logout.ts'
import { examineProject, readSettings } from './project.ts'
import { examineRalph, type Machine } from './ralph-itself.ts'
import { examineTools } from './tools.ts'

/** Where ralph makes temporary files; as Node's `tmpdir`, for any environment. */
const temporaryFolder = (env: NodeJS.ProcessEnv): string =>
  resolve(env.TMPDIR || env.TMP || env.TEMP || '/tmp')

/** Everything that the facts depend on. */
export type GatherOptions = {
  env: NodeJS.ProcessEnv
  /** The project, by its real path. */
  cwd: string
  run: RunCommand
  machine: Machine
  /** What keeps srt from working here. */
  checkSrt(): Promise<Missing[]>
  isRoot: boolean
}

/** Examines everything that a run would need. Opens no credential file, changes nothing, and throws for nothing it finds. */
export async function gatherFacts(
  world: GatherOptions,
  { environment }: { environment: boolean },
): Promise<Facts> {
  const { env, cwd, run, machine, isRoot } = world
  const home = ralphHome(env)
  const read = readSettings(cwd, home)
  const settings = read.type === 'read' ? read.loaded.settings : null
  const rules = settings?.env ?? { pass: [], drop: [] }
  const plainEnv = environmentOf(null, env, rules)
  const pick: PickedAgent = settings
    ? pickAgent(settings.agent.command, cwd, env.PATH ?? '')
    : { type: 'none', why: 'the settings are not valid' }
  const wanted = settings?.sandbox.mode ?? 'auto'
  const [agents, tools, logout, missing] = await Promise.all([
    examineAgents(rules, { env, cwd, run }),
    examineTools({ run, cwd, env: plainEnv }),
    examineLogout({ run, cwd, env: plainEnv }, machine.cgroup),
    wanted === 'none' ? [] : world.checkSrt(),
  ])

  const folders = [
    examineFolder({ name: 'home', path: home, mayBeMissing: true, isPrivate: true }),
    examineFolder({ name: 'project', path: cwd }),
    examineFolder({ name: 'temporary', path: temporaryFolder(env) }),
  ]
  const sandbox = { wanted, missing, isRoot, checked: checkedVersion(home) }
  return {
    agents,
    pick,
    fallbacks: findFallbacks(settings, cwd, env.PATH ?? ''),
    tools,
    sandbox,
    logout,
    project: examineProject(cwd, read, home, env),
    ralph: examineRalph(home, folders[0]!.trouble === null, machine),
    folders,
    ...(environment && { environment: describeAll(env, settings, pick, tierOf(sandbox, tools.sbx)) }),
  }
}

/** What everyone gets that a run starts: the agents of all roles, the checks, and a push if that is another matter. */
function describeAll(
  env: NodeJS.ProcessEnv,
  settings: Settings | null,
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
  const rules = settings?.env ?? { pass: [], drop: [] }
  return receivers.map(receiver => describeEnvironment(receiver, agents, env, rules))
}
