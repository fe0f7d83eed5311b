import { spawn } from 'node:child_process'
import { gitProgram } from './program.ts'

const TIMEOUT_MS = 60_000
const MAX_BYTES = 256 * 1024 * 1024

/** Only the first line of git's error is shown. */
const MAX_ERROR = 4096

/**
 * The first arguments of every git call: take no locks to read, start no file-system monitor, and take no folder of the
 * project for a repository because it looks like a bare one: its configuration would come with a clone.
 */
export const QUIET = [
  '--no-optional-locks',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'safe.bareRepository=explicit',
]

/**
 * Reads something with git; null if git fails or is not installed. Git never prompts. It runs in its own session, because
 * Ctrl+C at a terminal goes to all foreground processes, and ralph still needs the answer then.
 */
export async function git(
  cwd: string,
  env: Record<string, string>,
  args: string[],
  input = '',
): Promise<string | null> {
  const { failed, stdout } = await call(cwd, env, args, input)
  return failed ? null : stdout
}

/** Runs a git command that may fail; returns null, or the first line of git's error. */
export async function attempt(
  cwd: string,
  env: Record<string, string>,
  args: string[],
): Promise<string | null> {
  const { failed, stderr } = await call(cwd, env, args, '')
  if (!failed) return null
  const lines = stderr.split('\n').map(line => line.replace(/^(fatal|error): /, '').trim())
  return lines.find(line => line !== '') ?? `git ${args[0]} failed`
}

/** Runs a git command that must succeed. No hook runs, so nothing else happens. */
export async function mustGit(
  cwd: string,
  env: Record<string, string>,
  args: string[],
  input = '',
): Promise<string> {
  const { failed, stdout, stderr } = await call(cwd, env, ['-c', 'core.hooksPath=/dev/null', ...args], input)
  if (failed) throw new Error(`git ${args[0]} failed: ${stderr.trim().split('\n', 1)[0]}`)
  return stdout.trimEnd()
}

function call(
  cwd: string,
  env: Record<string, string>,
  args: string[],
  input: string,
): Promise<{ failed: boolean; stdout: string; stderr: string }> {
  const program = gitProgram(cwd, env.PATH)
  if (program === null) return Promise.resolve({ failed: true, stdout: '', stderr: 'git is not installed' })
  return new Promise(resolve => {
    const child = spawn(program, [...QUIET, ...args], {
      cwd,
      env: { ...env, GIT_TERMINAL_PROMPT: '0' },
      stdio: 'pipe',
      detached: true,
    })
    // Not spawn's own timeout: if git cannot be started, that timer would keep ralph waiting.
    const timer = setTimeout(() => child.kill(), TIMEOUT_MS)
    const finish = (failed: boolean, stdout: string, stderr: string) => {
      clearTimeout(timer)
      resolve({ failed, stdout, stderr })
    }
    const chunks: Buffer[] = []
    let errors = ''
    let room = MAX_BYTES
    child.stdout.on('data', (chunk: Buffer) => {
      room -= chunk.length
      if (room >= 0) chunks.push(chunk)
      else child.kill()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (errors.length < MAX_ERROR) errors += chunk
    })
    child.on('error', error => finish(true, '', error.message))
    child.on('close', code => finish(code !== 0 || room < 0, Buffer.concat(chunks).toString(), errors))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
