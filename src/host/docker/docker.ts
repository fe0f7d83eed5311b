import { join, relative } from 'node:path'
import { known } from '../../agents/index.ts'
import { holdsSecret, looksSecret } from '../../core/secrets.ts'
import { openExchange } from '../../git/exchange.ts'
import { git } from '../../git/git.ts'
import type { Start } from '../../git/start.ts'
import { type DockerOptions, dockerSandbox, readyDocker } from '../../runners/sandbox/docker/docker.ts'
import { findSbx, openSbx, SBX_TIMES, type SbxTimes } from '../../runners/sandbox/docker/sbx.ts'
import { reachableHosts } from '../../runners/sandbox/policy.ts'
import type { Sandbox } from '../../runners/sandbox/sandbox.ts'
import { isKeptElsewhere } from '../../settings/environment.ts'
import { matchesAny } from '../../settings/names.ts'
import { sessionDir } from '../../store/session.ts'
import { readSandbox, type SandboxRecord, sandboxName, writeSandbox } from './record.ts'

/** What a sandbox of a project is made of. */
export type DockerPlan = {
  home: string
  /** The run, or what else works in it. */
  run: string
  project: string
  /** The project whose `.ralph` keeps the session. */
  sessions: string
  start: Start
  /** The CLI that works, by its name; others may be asked too. */
  agents: readonly string[]
  plugin: string | null
  /** Asked when it is opened. */
  allowedDomains(): readonly string[]
  /** The names and patterns of the agents' own variables, and those that the user passes. */
  own: readonly string[]
  pass: readonly string[]
  /** Of the user; the agents' are filtered already. */
  env: Record<string, string>
  gitEnv: Record<string, string>
  runDir: string
  warn(note: string): void
  times?: SbxTimes
}

/** The services that sbx knows, by the variables that hold their keys. */
const SERVICES: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: 'anthropic',
  OPENAI_API_KEY: 'openai',
  GEMINI_API_KEY: 'google',
  GOOGLE_API_KEY: 'google',
  GH_TOKEN: 'github',
  GITHUB_TOKEN: 'github',
  OPENROUTER_API_KEY: 'openrouter',
  GROQ_API_KEY: 'groq',
  MISTRAL_API_KEY: 'mistral',
  XAI_API_KEY: 'xai',
}

/** The kinds of agent that sbx has images for; the others work in its image without one. */
const KINDS: readonly string[] = ['claude', 'codex', 'copilot', 'gemini', 'opencode']

/** Variables of ralph's own that are paths on this machine. */
const PATHS_HERE = ['RALPH_HOME', 'RALPH_ACTIVITY']

/** What of the session agents read and write. The rest stays outside. */
const SESSION_FILES = ['tasks.json', 'details.json', 'progress.txt']

/** Docker's sandbox of a project. */
export const openDockerSandbox = (plan: DockerPlan): Sandbox => dockerSandbox(dockerOptions(plan))

/** Makes a project's sandbox and sets it up, without a run; what is in it stays. Then it is stopped. */
export async function setUpDocker(plan: DockerPlan): Promise<SandboxRecord> {
  const options = dockerOptions(plan)
  const sbx = openSbx(options.program, options.env)
  await readyDocker(options, sbx)
  await sbx(['stop', options.name], { timeoutMs: SBX_TIMES.stop })
  return readSandbox(plan.home, options.name) ?? recordOf(plan)
}

const kindOf = ({ agents }: DockerPlan): string => KINDS.find(kind => kind === agents[0]) ?? 'shell'

const recordOf = (plan: DockerPlan): SandboxRecord => ({
  name: sandboxName(plan.project),
  project: plan.project,
  root: plan.start.root,
  agent: kindOf(plan),
  run: plan.run,
})

/** The environment of sbx itself: it would pass your SSH agent on. */
export const environmentOfSbx = ({
  SSH_AUTH_SOCK: _,
  ...env
}: Record<string, string>): Record<string, string> => env

function dockerOptions(plan: DockerPlan): DockerOptions {
  const { home, run, project, start, env, warn, own, pass } = plan
  const record = recordOf(plan)
  const { name, agent } = record
  const needs = plan.agents.flatMap(cli => known.get(cli)?.needs ?? [])
  const exchanged = [
    ...SESSION_FILES.map(file => join(sessionDir(plan.sessions, run), file)),
    join(project, '.ralph-active'),
  ].map(path => relative(start.root, path))
  const isSecret = (variable: string, value: string) => looksSecret(variable) || holdsSecret(value)
  const keys = Object.entries(env).filter(([variable]) => isKey(variable, [...own, ...pass]))
  return {
    program: findSbx(env.PATH ?? '', project) ?? 'sbx',
    env: environmentOfSbx(env),
    name,
    agent,
    root: start.root,
    readable: plan.plugin === null ? [] : [plan.plugin],
    hosts: () => reachableHosts({ agents: needs, env, settings: { allowedDomains: plan.allowedDomains() } }),
    secrets: uniqueServices(keys),
    goesIn(variable, value) {
      if (staysHere(variable)) return null
      // What ralph adds itself is meant for the agent.
      if (env[variable] !== undefined && !isKeptInDocker(variable, { own, pass })) return null
      return isSecret(variable, value) ? 'name' : 'value'
    },
    author: () => authorOf(start.root, plan.gitEnv),
    exchanged,
    exchange: openExchange({
      start,
      name,
      exchanged,
      runDir: plan.runDir,
      env: plan.gitEnv,
      isOwn: readSandbox(home, name)?.run === run,
      warn,
    }),
    onCreate: () => writeSandbox(home, record),
    onOpened: () => writeSandbox(home, record),
    warn,
    ...(plan.times && { times: plan.times }),
  }
}

const staysHere = (variable: string): boolean =>
  Object.hasOwn(SERVICES, variable) || PATHS_HERE.includes(variable)

/** Whether a variable of the user's goes into the sandbox. */
export const isKeptInDocker = (variable: string, rules: Parameters<typeof isKeptElsewhere>[1]): boolean =>
  !staysHere(variable) && isKeptElsewhere(variable, rules)

/** A key of an agent that sbx keeps outside. */
const isKey = (variable: string, wanted: readonly string[]): boolean =>
  Object.hasOwn(SERVICES, variable) && matchesAny(variable, wanted)

function uniqueServices(keys: readonly (readonly [string, string])[]): { service: string; value: string }[] {
  const byService = new Map(
    keys.filter(([, value]) => value !== '').map(([name, value]) => [SERVICES[name]!, value]),
  )
  return [...byService].map(([service, value]) => ({ service, value }))
}

/** The user, where git knows one. */
async function authorOf(root: string, env: Record<string, string>): Promise<{ name: string; email: string }> {
  const [name, email] = await Promise.all(
    ['user.name', 'user.email'].map(async key => (await git(root, env, ['config', key]))?.trim()),
  )
  return { name: name || 'Ralph Loop', email: email || 'ralph@localhost' }
}
