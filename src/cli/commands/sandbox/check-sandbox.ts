import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { known } from '../../../agents/index.ts'
import type { Env } from '../../../core/ports.ts'
import { UsageError } from '../../../core/usage-error.ts'
import { quote } from '../../../core/visible.ts'
import { git, mustGit } from '../../../git/git.ts'
import { recordStart } from '../../../git/start.ts'
import { askSbx, sbxMissing } from '../../../host/docker/choose.ts'
import { type DockerPlan, environmentOfSbx, openDockerSandbox } from '../../../host/docker/docker.ts'
import { dropSandbox, forgetCheck, rememberCheck, sandboxName } from '../../../host/docker/record.ts'
import { sandboxProgram } from '../../../host/sandbox.ts'
import { commandRunner } from '../../../runners/run-command.ts'
import { checkSrt } from '../../../runners/sandbox/check-srt.ts'
import { findSbx, openSbx, SBX_TIMES, type Sbx } from '../../../runners/sandbox/docker/sbx.ts'
import { ralphHome } from '../../../runs/find.ts'
import type { Io } from '../../../runs/io.ts'
import { present } from '../../../settings/environment.ts'
import { LIMITS, textAt } from '../../../store/files/read.ts'

/** Says whether a sandbox works here: exit code 0 if it does. */
export async function checkSandbox(which: string, options: { agent?: string }, io: Io): Promise<number> {
  if (which === 'docker') return checkDocker(io, options.agent)
  if (which !== 'srt')
    throw new UsageError(`there is no sandbox ${quote(which)} to check; give docker or srt`)
  const { stdout, env } = io
  const say = (line: string) => void stdout.write(`${line}\n`)
  const missing = await checkSrt({ program: sandboxProgram(), project: process.cwd(), env: present(env) })
  if (missing.length > 0) {
    say('srt does not work here:')
    for (const { what, remedy } of missing) say(`  ${what}; ${remedy}`)
    return 1
  }
  say('srt works here: a program was run inside')
  if (process.getuid?.() === 0)
    say('  but it does not contain root, who can write to /proc/sys inside; run ralph as another user')
  return 0
}

/** A host that no agent needs. */
const FORBIDDEN = 'ralph-must-not-reach.example.com'

const AUTHOR = ['-c', 'user.name=Ralph Loop', '-c', 'user.email=ralph@localhost']

/** A step of the check. Throws if it fails. */
type Step = [title: string, act: () => Promise<unknown>]

/** Tries every step on a scratch project, and remembers for this version of sbx that it works. */
async function checkDocker({ stdout, env }: Io, agent = 'claude'): Promise<number> {
  const say = (line: string) => void stdout.write(`${line}\n`)
  const home = ralphHome(env)
  forgetCheck(home)
  const missing = sbxMissing(env.PATH ?? '', process.cwd())
  if (missing !== null) {
    say(`docker does not work here: ${missing}`)
    return 1
  }
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-check-')))
  let version = ''
  try {
    const trial = await openTrial(root, home, present(env), agent)
    const steps: Step[] = [
      [
        'sbx answers and is in order',
        async () => {
          version = await askSbx(present(env), root)
        },
      ],
      ...trial.steps,
    ]
    try {
      for (const [title, act] of steps) {
        try {
          await act()
          say(`  ok      ${title}`)
        } catch (error) {
          say(`  failed  ${title}: ${(error as Error).message}`)
          say('docker does not work here')
          return 1
        }
      }
    } finally {
      await trial.close()
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
  rememberCheck(home, version)
  say(`docker works here with sbx ${version}; from now on, \`auto\` chooses it`)
  return 0
}

async function openTrial(root: string, home: string, env: Env, agent: string) {
  const project = join(root, 'project')
  const runDir = join(root, 'run')
  for (const folder of [project, runDir]) mkdirSync(folder)
  const write = (path: string, text: string) => writeFileSync(join(project, path), text)
  const read = (path: string) => textAt(join(project, path), { limit: LIMITS.small })
  await mustGit(project, env, ['init', '-q', '-b', 'main'])
  write('.gitignore', 'ignored.txt\n')
  write('kept.txt', 'kept\n')
  await mustGit(project, env, ['add', '.'])
  await mustGit(project, env, [...AUTHOR, 'commit', '-q', '-m', 'Begin'])
  const start = (await recordStart(project, env))!
  const sbx = openSbx(findSbx(env.PATH ?? '', root) ?? 'sbx', environmentOfSbx(env))
  const plan: DockerPlan = {
    home,
    run: 'check',
    project,
    sessions: project,
    start,
    agents: [agent],
    plugin: null,
    allowedDomains: () => [],
    own: known.get(agent)?.ownEnv ?? [],
    pass: [],
    env,
    gitEnv: env,
    runDir,
    warn: note => {
      throw new Error(note)
    },
  }
  const inside = openInside(plan, project)
  const expect = (is: boolean, otherwise: string) => {
    if (!is) throw new Error(otherwise)
  }
  const run = async (script: string, otherwise: string) => expect((await inside.sh(script)) === 0, otherwise)
  const name = sandboxName(project)
  const steps: Step[] = [
    ['a sandbox is made, and a command runs in it', () => run('test -e kept.txt', 'the clone is not there')],
    [`${agent} is there`, () => run(`command -v ${agent}`, `there is no ${agent} inside`)],
    [
      'uncommitted files go in, ignored ones do not',
      async () => {
        write('mine.txt', 'mine\n')
        write('ignored.txt', 'secret\n')
        await run('test -e mine.txt && ! test -e ignored.txt', 'the files are not those that were sent')
      },
    ],
    [
      'files and commits come back',
      async () => {
        await run(
          'echo made > made.txt; git add made.txt; git commit -q -m Made; rm mine.txt',
          'git cannot commit inside',
        )
        const subject = await git(project, env, ['log', '-1', '--format=%s'])
        expect(read('made.txt') === 'made\n' && read('mine.txt') === null, 'the files did not come back')
        expect(subject?.trim() === 'Made', 'the commit did not come back')
      },
    ],
    [
      'after a stop, what was edited here is there',
      async () => {
        await inside.close()
        write('made.txt', 'edited\n')
        await openInside(plan, project)
          .sh('test "$(cat made.txt)" = edited')
          .then(code => expect(code === 0, 'the edit is not there'))
      },
    ],
    [
      'a host that is not allowed cannot be reached',
      async () => {
        const told = await sbx(['policy', 'check', 'network', '--sandbox', name, FORBIDDEN]).catch(
          (error: Error) => error.message,
        )
        // What a user may not do at all says nothing about the policy.
        const isDenied = /(?<!permission )denied|blocked/i.test(told)
        expect(isDenied, 'the policy of sbx allows every host (see: sbx policy ls)')
      },
    ],
  ]
  return { steps, close: () => cleanUp(sbx, home, name) }
}

/** Removes what the check made. Its work is worth nothing. */
async function cleanUp(sbx: Sbx, home: string, name: string): Promise<void> {
  await sbx(['rm', '--force', name], { timeoutMs: SBX_TIMES.stop }).catch(() => {})
  dropSandbox(home, name)
}

/** Runs shell commands in the sandbox as a run does. */
function openInside(plan: DockerPlan, cwd: string) {
  const sandbox = openDockerSandbox(plan)
  const run = commandRunner(new AbortController().signal)
  let calls = 0
  return {
    close: () => sandbox.close(),
    async sh(script: string): Promise<number | null> {
      const call = `check.${process.pid}.${++calls}`
      try {
        const command = await sandbox.wrap({ argv: ['sh', '-c', script], cwd, env: {}, stdin: '' }, call, {})
        const ran = await run(command.argv, { cwd: command.cwd, env: command.env, timeoutMs: SBX_TIMES.exec })
        return ran.end === 'exited' ? ran.exit.code : null
      } finally {
        await sandbox.after?.(call)
      }
    },
  }
}
