import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0

/** Root has no borders, so as root the tests become somebody else. */
const isRoot = process.getuid?.() === 0
const NOBODY = 65534

/** Why there is no sandbox here; null: there is one. */
export const missing: string | null =
  process.platform !== 'linux'
    ? 'not Linux'
    : (['bwrap', 'socat', 'rg', 'git'].find(program => !has(program)) ?? null)

const COPIED = ['@anthropic-ai/sandbox-runtime', '@pondwader/socks5-server', 'node-forge', 'zod', 'commander']

/** On the disk: a sandbox has a /dev of its own, without the memory in which other tests keep their files. */
const TMP = '/tmp'

let installed: string | null = null

/** Ralph and the sandbox runtime as another user may read them, once for all tests of a worker. */
function install(): string {
  if (installed !== null) return installed
  const folder = realpathSync(mkdtempSync(join(process.env.RALPH_TESTS_ON_DISK ?? TMP, 'installed-')))
  for (const part of ['dist', 'plugin', '.claude-plugin', 'templates', 'package.json'])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  for (const name of COPIED) copyPackage(name, join(folder, 'node_modules'))
  const program = join(folder, 'node_modules/@anthropic-ai/sandbox-runtime/dist/cli.js')
  chmodSync(program, 0o755)
  mkdirSync(join(folder, 'bin'))
  symlinkSync(program, join(folder, 'bin/srt'))
  chmodSync(folder, 0o755)
  installed = folder
  return folder
}

/** What a run in a sandbox came to. */
type Ran = { code: number | null; stdout: string; stderr: string }

/**
 * A home, a project in git and the built ralph, in a folder that another user may enter. `agent`: a shell script that is
 * the agent of every run; it gets the prompt on its standard input, and in BESIDE the folder of another project.
 * `atEnd`: when all of it is removed.
 */
export function openPlace(agent: string, atEnd: (clean: () => void) => void = onTestFinished) {
  const root = realpathSync(mkdtempSync(join(TMP, 'ralph-sandboxed-')))
  atEnd(() => rmSync(root, { recursive: true, force: true }))
  const at = (path: string) => join(root, path)
  const ralph = install()
  for (const folder of ['home', 'project', 'bin', 'beside', 'tmp']) mkdirSync(at(folder))
  const addProgram = (name: string, script: string) =>
    // The environment inside does not have it.
    writeFileSync(at(`bin/${name}`), `#!/bin/sh\nBESIDE='${at('beside')}'\n${script}`, { mode: 0o755 })
  addProgram('agent', agent)
  const env = {
    PATH: `${at('bin')}:${join(ralph, 'bin')}:${process.env.PATH}`,
    HOME: at('home'),
    RALPH_HOME: at('home/.ralph'),
    TMPDIR: at('tmp'),
    LANG: 'C.UTF-8',
    BESIDE: at('beside'),
    GIT_CONFIG_GLOBAL: '/dev/null',
  }
  const start = (argv: string[], more: Record<string, string>) =>
    spawn(argv[0]!, argv.slice(1), {
      cwd: at('project'),
      env: { ...env, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    })
  const run = (
    argv: string[],
    more: Record<string, string> = {},
    onStart: (pid: number) => void = () => {},
  ): Promise<Ran> =>
    new Promise((resolve, reject) => {
      const child = start(argv, more)
      onStart(child.pid ?? 0)
      let [stdout, stderr] = ['', '']
      child.stdout.setEncoding('utf8').on('data', text => {
        stdout += text
      })
      child.stderr.setEncoding('utf8').on('data', text => {
        stderr += text
      })
      child.on('error', reject)
      child.on('close', code => resolve({ code, stdout, stderr }))
    })
  const ready = async () => {
    if (isRoot) giveAway(root)
    await run([
      'sh',
      '-c',
      'git init -q && git config user.email a@b && git config user.name a && echo 1 > a && git add a && git commit -qm a',
    ])
  }
  const program = join(ralph, 'dist/ralph.js')
  return {
    at,
    env,
    /** Ralph itself. */
    program,
    addProgram,
    /** The user's own settings for all projects. */
    settings(settings: Record<string, unknown>) {
      mkdirSync(at('home/.ralph'), { recursive: true })
      writeFileSync(at('home/.ralph/settings.json'), JSON.stringify(settings))
    },
    /** Everything is there: makes the project a repository. */
    ready,
    run,
    ralph: (args: string[], more?: Record<string, string>, onStart?: (pid: number) => void) =>
      run([process.execPath, program, ...args], more, onStart),
  }
}

export const DONE = "echo '<response>DONE</response>'\n"

/** One iteration in srt, with these flags. */
export const once = (...flags: string[]): string[] => [
  ...['run', '-p', 'work', '--once', '--sandbox=srt', '--trust'],
  ...flags,
  ...['--', 'agent'],
]

/** A build of the one task of `tasks.json`, in a worktree, in srt. */
export const BUILD =
  'build --tasks tasks.json --worktree --sandbox=srt --trust --check true -m 3 -- agent'.split(' ')
export const TASKS = JSON.stringify([{ content: 'Write it', activeForm: 'Writing it', status: 'pending' }])

const fileOf = (name: string) => name.replace(/\W+/g, '-')

/** A script that tries each of these, and keeps what it printed in the project. */
export const attempts = (tries: Record<string, string>): string =>
  `cat > /dev/null\nmkdir -p found\n${Object.entries(tries)
    .map(([name, command]) => `( ${command} ) > "found/${fileOf(name)}" 2>&1`)
    .join('\n')}\n`

/** What one of the attempts printed. */
export const foundIn = (place: { at(path: string): string }, name: string): string =>
  readFileSync(place.at(`project/found/${fileOf(name)}`), 'utf8').trim()

/** A server on this machine that answers everything, and keeps the keys it gets. */
export async function serve(
  address: string,
  answer = 'reached',
  atEnd: (clean: () => void) => void = onTestFinished,
) {
  const keys: (string | undefined)[] = []
  const server = createServer((request, response) => {
    keys.push(request.headers['x-api-key'] as string | undefined)
    response.end(answer)
  })
  await new Promise<void>(resolve => server.listen(0, address, resolve))
  atEnd(() => void server.close())
  return { port: (server.address() as { port: number }).port, keys }
}

function copyPackage(name: string, to: string): void {
  const nested = join(ROOT, 'node_modules/@anthropic-ai/sandbox-runtime/node_modules', name)
  const from = existsSync(nested) ? nested : join(ROOT, 'node_modules', name)
  cpSync(from, join(to, name), { recursive: true, filter: path => !/\.(map|[cm]?ts|md)$/.test(path) })
}

function giveAway(path: string): void {
  chownSync(path, NOBODY, NOBODY)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) giveAway(join(path, entry.name))
    else lchownSync(join(path, entry.name), NOBODY, NOBODY)
  }
  chmodSync(path, 0o755)
}
