import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '../../../core/usage-error.ts'
import { quote } from '../../../core/visible.ts'
import { recordStart } from '../../../git/start.ts'
import { dockerTrouble } from '../../../host/docker/choose.ts'
import { environmentOfSbx, setUpDocker } from '../../../host/docker/docker.ts'
import {
  type KnownSandbox,
  knownSandboxes,
  type Manager,
  openManager,
  refuseWhileUsed,
  removeSandbox,
} from '../../../host/docker/manage.ts'
import { readSandbox, sandboxName } from '../../../host/docker/record.ts'
import { dockerPlan } from '../../../host/sandbox.ts'
import { prepare } from '../../../host/start.ts'
import { findSbx, SBX_TIMES } from '../../../runners/sandbox/docker/sbx.ts'
import { ralphHome } from '../../../runs/find.ts'
import { type Io, say } from '../../../runs/io.ts'
import { projectOf } from '../../../runs/project.ts'
import { refuseFromWithinAny } from '../../../runs/within.ts'
import { present } from '../../../settings/environment.ts'
import { warn } from '../../../terminal/print.ts'
import { table } from '../../../view/text/table.ts'
import { gitEnvironment } from '../../../workflows/spec.ts'

type SandboxOptions = { projectDir?: string; agent?: string; force?: boolean; all?: boolean }

/** `ralph sandbox setup`: makes the sandbox of this project ready before a run. */
async function setUpSandbox(options: SandboxOptions, { stdout, env }: Io): Promise<number> {
  const { base } = prepare({ projectDir: options.projectDir, agent: options.agent }, [])
  const home = ralphHome(env)
  const { project, settings } = base
  const start = await recordStart(project, gitEnvironment(settings, env))
  const trouble = await dockerTrouble(present(env), { project, start, worktrees: false })
  if (trouble !== null || start === null) throw new UsageError(`sandbox docker: ${trouble}`)
  const name = sandboxName(project)
  const known = readSandbox(home, name)
  if (known) refuseWhileUsed(home, known)
  const runDir = mkdtempSync(join(tmpdir(), 'ralph-setup-'))
  try {
    const spec = { ...base, workflow: '', start }
    const of = { home, run: known?.run ?? 'setup', runDir, warn, allowed: () => [] }
    const made = await setUpDocker(dockerPlan(spec, env, of))
    return say(stdout, `the sandbox ${made.name} is ready, for ${made.agent}\n${LOGIN(made.name)}`)
  } finally {
    rmSync(runDir, { recursive: true, force: true })
  }
}

const LOGIN = (name: string) => `without an API key, log in once inside: sbx run --name ${name}`

/** `ralph sandbox ls`: all that ralph made, of all projects. */
async function listSandboxesHere({ stdout, env }: Io): Promise<number> {
  const found = await knownSandboxes(openManager(ralphHome(env), present(env), process.cwd()))
  if (found.length === 0) return say(stdout, 'ralph made no sandboxes')
  return say(
    stdout,
    table(
      found.map(({ name, status, agent, project }) => [
        name,
        status ?? 'gone',
        agent,
        project || 'project unknown',
      ]),
    ).join('\n'),
  )
}

/** The sandboxes that a command is about: the one that is named, all, or that of this project. */
async function chosen(
  manager: Manager,
  name: string | undefined,
  options: SandboxOptions,
  env: NodeJS.ProcessEnv,
): Promise<KnownSandbox[]> {
  const known = await knownSandboxes(manager)
  if (options.all) return known
  const wanted = name ?? sandboxName(projectOf(options.projectDir, env))
  const found = known.filter(sandbox => sandbox.name === wanted)
  if (found.length > 0) return found
  throw new UsageError(
    name === undefined
      ? 'this project has no sandbox; ralph sandbox ls shows those there are'
      : `there is no sandbox ${quote(name)}; ralph sandbox ls shows those there are`,
  )
}

/** Does this with each sandbox that a command is about, while no run uses it, and prints the result. */
async function withEach(
  what: string,
  name: string | undefined,
  options: SandboxOptions,
  { stdout, env }: Io,
  act: (manager: Manager, sandbox: KnownSandbox) => Promise<string>,
): Promise<number> {
  const home = ralphHome(env)
  refuseFromWithinAny(home, env, `${what} a sandbox`)
  const manager = openManager(home, present(env), process.cwd())
  for (const sandbox of await chosen(manager, name, options, env)) {
    refuseWhileUsed(home, sandbox)
    say(stdout, await act(manager, sandbox))
  }
  return 0
}

/** `ralph sandbox stop [NAME]`. */
async function stopSandbox({ sbx }: Manager, { name, status }: KnownSandbox): Promise<string> {
  if (status === null) return `${name} is gone: sbx does not list it`
  await sbx(['stop', name], { timeoutMs: SBX_TIMES.stop })
  return `${name} is stopped; what is in it stays`
}

/** `ralph sandbox shell`: a shell inside, at this terminal. */
async function openShell(options: SandboxOptions, { env }: Io): Promise<number> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError('ralph sandbox shell needs a terminal; for one command: sbx exec NAME COMMAND')
  const project = projectOf(options.projectDir, env)
  refuseFromWithinAny(ralphHome(env), env, 'open a shell in a sandbox')
  const manager = openManager(ralphHome(env), present(env), project)
  const [sandbox] = await chosen(manager, undefined, options, env)
  const program = findSbx(env.PATH ?? '', project) ?? 'sbx'
  const args = ['exec', '-it', '-w', project, sandbox!.name, 'bash']
  return spawnSync(program, args, { stdio: 'inherit', env: environmentOfSbx(present(env)) }).status ?? 1
}

/** The commands by their names and arguments. */
export type SandboxVerb = 'setup' | 'ls' | 'stop [name]' | 'rm [name]' | 'shell'

type Manage = (name: string | undefined, options: SandboxOptions, io: Io) => Promise<number>

export const manageSandboxes: Readonly<Record<SandboxVerb, Manage>> = {
  setup: (_, options, io) => setUpSandbox(options, io),
  ls: (_, __, io) => listSandboxesHere(io),
  'stop [name]': (name, options, io) => withEach('stop', name, options, io, stopSandbox),
  'rm [name]': (name, options, io) =>
    withEach('remove', name, options, io, async (manager, sandbox) => {
      await removeSandbox(manager, sandbox, options.force ?? false, warn)
      return `${sandbox.name} is removed`
    }),
  shell: (_, options, io) => openShell(options, io),
}
