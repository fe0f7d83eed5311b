import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { Env } from '../core/ports.ts'
import { isNoRoom, whenRoom } from '../core/trouble/no-room.ts'
import { ownProgram } from '../store/files/own-program.ts'

/** The git that was found, by the PATH that was searched. */
const programs = new Map<string, string | null>()

/**
 * The git that ralph itself runs, or null if there is none. It is searched once, before the first agent starts, because an
 * agent could put another one on PATH.
 */
export function gitProgram(cwd: string, path = ''): string | null {
  const known = programs.get(path)
  if (known !== undefined) return known
  const program = ownProgram('git', path, cwd)
  programs.set(path, program)
  return program
}

/**
 * How long git may take. An agent can leave a pipe among git's files, and git would wait for it for ever. A git that hung
 * once hangs again, so the next calls get less time, until one succeeds; `hurried`: the user wants ralph to end now.
 */
const TIMEOUT_MS = { normal: { first: 60_000, again: 5000 }, hurried: { first: 1000, again: 100 } }
let hasHung = false
let hurries = 0
const timeout = () => TIMEOUT_MS[hurries > 0 ? 'hurried' : 'normal'][hasHung ? 'again' : 'first']

/** Sets the timers of the calls under way again. */
const underWay = new Set<() => void>()

/** From this signal on git gets little time, the calls under way too. Returns how to take that back. */
export function hurryGitWhen(hard: AbortSignal): () => void {
  let added = 0
  const hurry = () => {
    added = 1
    hurries++
    for (const restart of underWay) restart()
  }
  hard.addEventListener('abort', hurry, { once: true })
  return () => {
    hard.removeEventListener('abort', hurry)
    hurries -= added
  }
}

const MAX_BYTES = 256 * 1024 * 1024

/** Only the first line of git's error is shown. */
const MAX_ERROR = 4096

/**
 * The first arguments of every git call: take no locks to read, show every object as it is (an agent could have `git
 * replace` put another in its place), start no file-system monitor, and take no folder of the project for a repository
 * because it looks like a bare one: its configuration would come with a clone.
 */
export const QUIET = [
  '--no-optional-locks',
  '--no-replace-objects',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'safe.bareRepository=explicit',
]

/**
 * Reads something with git. Returns null if git fails or is not installed. Git never prompts. It runs in its own session,
 * because Ctrl+C at a terminal goes to all foreground processes, and ralph still needs the answer then.
 */
export async function git(cwd: string, env: Env, args: string[], input = ''): Promise<string | null> {
  return (await gitBytes(cwd, env, args, input))?.toString() ?? null
}

/** The same for output that need not be text. */
export async function gitBytes(cwd: string, env: Env, args: string[], input = ''): Promise<Buffer | null> {
  const { failed, stdout } = await call(cwd, env, args, input)
  return failed ? null : stdout
}

/** Runs a git command that may fail. Returns the first line of git's error, or null. */
export async function attempt(cwd: string, env: Env, args: string[]): Promise<string | null> {
  const { failed, isKilled, stderr } = await callOnce(cwd, env, args, '')
  if (!failed) return null
  if (isKilled) return `git ${args[0]} was killed by SIGKILL`
  const lines = stderr.split('\n').map(line => line.replace(/^(fatal|error): /, '').trim())
  return lines.find(line => line !== '') ?? `git ${args[0]} failed`
}

/** Runs a git command that must succeed. No hook runs, so nothing else happens. */
export async function mustGit(cwd: string, env: Env, args: string[], input = ''): Promise<string> {
  const { failed, stdout, stderr } = await call(cwd, env, ['-c', 'core.hooksPath=/dev/null', ...args], input)
  if (failed) throw new Error(`git ${args[0]} failed: ${stderr.trim().split('\n', 1)[0]}`)
  return stdout.toString().trimEnd()
}

/** `isKilled`: another process killed it, for example the system because memory was short. */
type GitResult = { failed: boolean; isKilled?: boolean; stdout: Buffer; stderr: string }

const MOST_TRIES = 3

/** One that somebody else killed says nothing about the repository, so it is run again. */
async function call(cwd: string, env: Env, args: string[], input: string): Promise<GitResult> {
  for (let tries = 1; ; tries++) {
    const result = await callOnce(cwd, env, args, input)
    if (!result.isKilled || tries === MOST_TRIES) return result
  }
}

async function callOnce(cwd: string, env: Env, args: string[], input: string): Promise<GitResult> {
  const program = gitProgram(cwd, env.PATH)
  if (program === null) return { failed: true, stdout: Buffer.alloc(0), stderr: 'git is not installed' }
  return whenRoom('git', delay, () => callNow(program, cwd, env, args, input))
}

function callNow(program: string, cwd: string, env: Env, args: string[], input: string): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...QUIET, ...args], {
      cwd,
      env: { ...env, GIT_TERMINAL_PROMPT: '0' },
      stdio: [input === '' ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: true,
    })
    // One that did not start may have no streams.
    const { stdout, stderr } = child
    if (child.pid === undefined || !stdout || !stderr) {
      child.on('error', error =>
        isNoRoom(error)
          ? reject(error)
          : resolve({ failed: true, stdout: Buffer.alloc(0), stderr: error.message }),
      )
      return
    }
    // Not spawn's own timeout: if git cannot be started, that timer would keep ralph waiting.
    let timer: NodeJS.Timeout | undefined
    const restart = () => {
      clearTimeout(timer)
      timer = setTimeout(giveUp, timeout())
    }
    underWay.add(restart)
    restart()
    const finish = (failed: boolean, stdout: Buffer, stderr: string, isKilled = false) => {
      underWay.delete(restart)
      clearTimeout(timer)
      if (!failed) hasHung = false
      resolve({ failed, isKilled, stdout, stderr })
    }
    /** Ends git and what it started, and does not wait for other processes that hold its pipes. */
    function giveUp(): void {
      hasHung = true
      endGroup(child)
      for (const pipe of [child.stdin, stdout, stderr]) pipe?.destroy()
      finish(true, Buffer.alloc(0), 'git takes too long')
    }
    const chunks: Buffer[] = []
    let errors = ''
    let room = MAX_BYTES
    stdout.on('data', (chunk: Buffer) => {
      room -= chunk.length
      if (room >= 0) chunks.push(chunk)
      else endGroup(child)
    })
    stderr.on('data', (chunk: Buffer) => {
      if (errors.length < MAX_ERROR) errors += chunk
    })
    child.on('error', error => finish(true, Buffer.alloc(0), error.message))
    child.on('close', (code, signal) =>
      finish(code !== 0 || room < 0, Buffer.concat(chunks), errors, signal === 'SIGKILL'),
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

/** Git leads a session of its own, with the programs that it starts. */
function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid)
  } catch {
    // It has ended.
  }
}

/** The author of commits on no branch, which only carry files. */
export const AUTHOR = {
  GIT_AUTHOR_NAME: 'ralph',
  GIT_AUTHOR_EMAIL: 'ralph@localhost',
  GIT_COMMITTER_NAME: 'ralph',
  GIT_COMMITTER_EMAIL: 'ralph@localhost',
}

/** The commit of a name. Null if there is none. */
export const commitOf = async (root: string, env: Env, name: string): Promise<string | null> =>
  (await git(root, env, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]))?.trim() ?? null

/** Whether a commit leads to another, or is the same. */
export const isAncestor = async (root: string, env: Env, before: string, after: string): Promise<boolean> =>
  (await git(root, env, ['merge-base', '--is-ancestor', before, after])) !== null
