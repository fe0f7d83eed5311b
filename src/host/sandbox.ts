import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { known, ownNames } from '../agents/index.ts'
import { holdsSecret, looksSecret } from '../core/secrets.ts'
import type { RunState } from '../core/table.ts'
import { UsageError } from '../core/usage-error.ts'
import type { Book } from '../engine/book.ts'
import type { Start } from '../git/start.ts'
import { checkSrt } from '../runners/sandbox/check-srt.ts'
import { type Denial, grantableFolder } from '../runners/sandbox/denials.ts'
import { type Borders, hostsNamed } from '../runners/sandbox/policy.ts'
import type { Sandbox } from '../runners/sandbox/sandbox.ts'
import { srtSandbox } from '../runners/sandbox/srt.ts'
import { isKeptInside, present } from '../settings/environment.ts'
import { matchesAny } from '../settings/names.ts'
import type { Settings } from '../settings/schema.ts'
import { homeFolder } from '../store/files/paths.ts'
import { gitEnvironment, type RunSpec } from '../workflows/spec.ts'
import { agentOf, agentsByRole, packageFolder, pluginFolder } from './agents/agents.ts'
import { type DockerPlace, dockerTrouble, isDockerProven } from './docker/choose.ts'
import { type DockerPlan, openDockerSandbox } from './docker/docker.ts'

export type SandboxMode = Settings['sandbox']['mode']

/** The sandbox that a run works in, and why it is not a stronger one. */
export type ChosenSandbox = { mode: SandboxMode; why: string | null }

/** The program that hosts the sandbox runtime. */
export const sandboxProgram = (): string => join(packageFolder() ?? '', 'dist', 'sandbox-host.mjs')

/** The strongest sandbox that is known to work here, or the one that the user names. Refuses a named one that does not work. */
export async function chooseSandbox(
  mode: SandboxMode,
  place: DockerPlace & { home: string },
  env: NodeJS.ProcessEnv,
): Promise<ChosenSandbox> {
  const { project, home } = place
  if (mode === 'none') return { mode, why: null }
  if (mode === 'docker') {
    const trouble = await dockerTrouble(present(env), place)
    if (trouble !== null) throw new UsageError(`sandbox docker: ${trouble}`)
    return { mode, why: null }
  }
  if (mode === 'auto' && (await isDockerProven(home, present(env), place)))
    return { mode: 'docker', why: null }
  const isRoot = process.getuid?.() === 0
  // Root inside can still write what the kernel keeps below /proc/sys.
  if (mode === 'auto' && isRoot) return { mode: 'none', why: 'srt does not contain root' }
  const missing = await checkSrt({ program: sandboxProgram(), project, env: present(env) })
  if (missing.length === 0)
    return {
      mode: 'srt',
      why: isRoot ? 'it does not contain root, who can write to /proc/sys inside' : null,
    }
  const said = missing.map(({ what, remedy }) => `${what} (${remedy})`).join('; ')
  if (mode === 'srt') throw new UsageError(`sandbox srt: ${said}`)
  return { mode: 'none', why: missing[0]!.what }
}

/** A run is begun with the sandbox that was chosen, and resumed in the same. */
export const withSandbox = <S extends { settings: Settings }>(spec: S, { mode }: ChosenSandbox): S => ({
  ...spec,
  settings: { ...spec.settings, sandbox: { ...spec.settings.sandbox, mode } },
})

/** An agent that tries one name after the other must not fill the journal. */
const MOST_DENIED = 20

/** The sandbox of a run, if it was begun with one. */
export function sandboxOf(options: {
  id: string
  spec: RunSpec
  home: string
  runDir: string
  env: NodeJS.ProcessEnv
  book: Pick<Book, 'state' | 'record'>
  /** Nothing may be recorded any more. */
  isOver(): boolean
}): Sandbox | undefined {
  const { id, spec, home, env, book, isOver } = options
  const { sandbox, env: rules } = spec.settings
  if (sandbox.mode === 'docker' && spec.start)
    return openDockerSandbox(
      dockerPlan({ ...spec, start: spec.start }, env, {
        ...options,
        run: id,
        allowed: () => book.state.sandbox.allowed,
        warn(note) {
          if (!isOver()) book.record({ type: 'warned', at: Date.now(), note })
        },
      }),
    )
  if (sandbox.mode !== 'srt') return
  const own = ownVariables(spec, env)
  const chatter = agentNames(spec, env.PATH ?? '').flatMap(name => known.get(name)?.needs.chatter ?? [])
  const isChatter = (denial: Denial) =>
    matchesAny('host' in denial ? denial.host : denial.path.replace(homeFolder(), '~'), chatter)
  return srtSandbox({
    run: id,
    project: spec.project,
    borders: () => bordersOf(spec, home, env, book.state.sandbox.allowed),
    program: sandboxProgram(),
    env: present(env),
    keeps: name => isKeptInside(name, { own, pass: rules.pass }),
    checkDomains: hostsNamed(sandbox.checkDomains),
    onDenied(denial, step) {
      if (isOver()) return
      if (isChatter(denial)) return
      const event = deniedEvent(denial, book.state.sandbox)
      if (event) book.record({ ...event, at: Date.now(), ...(step !== null && { id: step }) })
    },
  })
}

/** What docker's sandbox of a project is made of. `allowed`: the hosts that the user allowed while it ran. */
export function dockerPlan(
  spec: RunSpec & { start: Start },
  env: NodeJS.ProcessEnv,
  of: Pick<DockerPlan, 'home' | 'run' | 'runDir' | 'warn'> & { allowed(): readonly string[] },
): DockerPlan {
  const { sandbox, env: rules } = spec.settings
  const { home, run, runDir, warn } = of
  return {
    home,
    run,
    runDir,
    warn,
    project: spec.project,
    sessions: spec.sessions ?? spec.project,
    start: spec.start,
    agents: [...new Set([agentOf(spec).name, ...agentNames(spec, env.PATH ?? '')])],
    plugin: pluginFolder(),
    allowedDomains: () => [
      ...sandbox.allowedDomains,
      ...(sandbox.checks === 'inside' ? sandbox.checkDomains : []),
      ...of.allowed(),
    ],
    own: ownVariables(spec, env),
    pass: rules.pass,
    env: present(env),
    gitEnv: gitEnvironment(spec.settings, env),
  }
}

type DeniedEvent = { type: 'denied'; host: string; why?: string } | { type: 'refused'; path: string }

/** What to record of something that the sandbox kept the run from. Null if it is known already. */
function deniedEvent(denial: Denial, { denied, refused }: RunState['sandbox']): DeniedEvent | null {
  if ('host' in denial) {
    const { host, why } = denial
    if (denied.includes(host) || denied.length >= MOST_DENIED) return null
    return { type: 'denied', host, ...(why !== undefined && { why }) }
  }
  const { path } = denial
  const isTold = refused.some(
    known => grantableFolder(known, homeFolder()) === grantableFolder(path, homeFolder()),
  )
  return isTold || refused.length >= MOST_DENIED ? null : { type: 'refused', path }
}

/** Where the processes of a run may read, write and connect. */
function bordersOf(
  spec: RunSpec,
  ralphHome: string,
  env: NodeJS.ProcessEnv,
  allowed: readonly string[],
): Omit<Borders, 'temp'> {
  const { project, sessions, settings, start, worktrees } = spec
  const names = agentNames(spec, env.PATH ?? '')
  const own = ownVariables(spec, env)
  const isSecret = (name: string) => looksSecret(name) || holdsSecret(env[name] ?? '')
  return {
    home: homeFolder(),
    ralphHome,
    folders: [
      project,
      ...(sessions === undefined ? [] : [join(sessions, '.ralph', 'sessions')]),
      ...(worktrees && start ? [`${start.root}-worktrees`] : []),
    ],
    git: start ? [...new Set([start.dirs.own, start.dirs.common])] : [],
    links: start ? linksIn(`${start.root}-worktrees`, start.dirs.common) : [],
    agents: names.flatMap(name => known.get(name)?.needs ?? []),
    logins: [...known.values()].flatMap(({ needs }) => needs.logins),
    secrets: Object.keys(env).filter(name => matchesAny(name, own) && isSecret(name)),
    env,
    settings: { ...settings.sandbox, allowedDomains: [...settings.sandbox.allowedDomains, ...allowed] },
  }
}

/** The files that link worktrees to their repository, `<root>-worktrees/<run>/<task>/.git`, and those that link back. */
function linksIn(worktrees: string, common: string): string[] {
  const below = (folder: string): string[] =>
    existsSync(folder)
      ? readdirSync(folder, { withFileTypes: true }).flatMap(entry =>
          entry.isDirectory() ? join(folder, entry.name) : [],
        )
      : []
  const trees = below(worktrees)
  return [
    ...[...trees, ...trees.flatMap(below)].map(tree => join(tree, '.git')),
    ...below(join(common, 'worktrees')).flatMap(dir =>
      ['commondir', 'gitdir', 'config.worktree'].map(name => join(dir, name)),
    ),
  ]
}

/** The names and patterns of the variables that the agents of a run may have although they look secret. */
const ownVariables = (spec: RunSpec, env: NodeJS.ProcessEnv): string[] =>
  agentNames(spec, env.PATH ?? '').flatMap(name => ownNames(name, env))

/** The CLIs of all roles and fallbacks of a run. */
function agentNames(spec: RunSpec, path: string): string[] {
  const agentsFor = agentsByRole(spec, path)
  const roles = [undefined, ...Object.keys(spec.settings.agents)]
  return [...new Set(roles.flatMap(role => agentsFor(role).map(({ agent }) => agent.name)))]
}
