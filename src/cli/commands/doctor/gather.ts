import { resolve } from 'node:path'
import type { RunCommand } from '../../../runners/run-command.ts'
import { ralphHome } from '../../../runs/find.ts'
import { examineAgents, findFallbacks, pickAgent } from './agents.ts'
import { describeEnvironment, environmentOf } from './environment.ts'
import type { EnvironmentFact, Facts, PickedAgent } from './facts.ts'
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
}

/** Examines everything that a run would need. Opens no credential file, changes nothing, and throws for nothing it finds. */
export async function gatherFacts(
  world: GatherOptions,
  { environment }: { environment: boolean },
): Promise<Facts> {
  const { env, cwd, run, machine } = world
  const home = ralphHome(env)
  const read = readSettings(cwd)
  const settings = read.type === 'read' ? read.loaded.settings : null
  const rules = settings?.env ?? { pass: [], drop: [] }
  const plainEnv = environmentOf(null, env, rules)
  const pick: PickedAgent = settings
    ? pickAgent(settings.agent.command, env.PATH ?? '')
    : { type: 'none', why: 'the settings are not valid' }
  const [agents, tools, logout] = await Promise.all([
    examineAgents(rules, { env, cwd, run }),
    examineTools({ run, cwd, env: plainEnv }),
    examineLogout({ run, cwd, env: plainEnv }, machine.cgroup),
  ])

  const folders = [
    examineFolder({ name: 'home', path: home, mayBeMissing: true, isPrivate: true }),
    examineFolder({ name: 'project', path: cwd }),
    examineFolder({ name: 'temporary', path: temporaryFolder(env) }),
  ]
  const describe = (): EnvironmentFact[] => {
    const guardrails = describeEnvironment('guardrails', plainEnv, env)
    if (pick.type === 'none') return [guardrails]
    return [describeEnvironment(pick.name, environmentOf(pick.name, env, rules), env), guardrails]
  }
  return {
    agents,
    pick,
    fallbacks: findFallbacks(settings, env.PATH ?? ''),
    tools,
    logout,
    project: examineProject(cwd, read, home, env),
    ralph: examineRalph(home, folders[0]!.trouble === null, machine),
    folders,
    ...(environment && { environment: describe() }),
  }
}
