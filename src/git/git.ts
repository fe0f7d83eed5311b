import { spawn } from 'node:child_process'

const TIMEOUT_MS = 60_000
const MAX_BYTES = 256 * 1024 * 1024

/** Of what git says of a failure, its first line is told. */
const MAX_COMPLAINT = 4096

/** What every git call of ralph's own begins with: no locks for looking, no file-system monitor started. */
export const QUIET = ['--no-optional-locks', '-c', 'core.fsmonitor=false']

/**
 * Looks something up with git, asking nobody. null when git fails or is not there. It runs in a session of its own:
 * Ctrl+C at a terminal goes to everything in the foreground, and an answer must not be missing because of it.
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

/** Does something with git that may fail: null, or the line in which git says why. */
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

/** Does something with git that must succeed. No hook runs: what is asked for is all that happens. */
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
  return new Promise(resolve => {
    const child = spawn('git', [...QUIET, ...args], {
      cwd,
      env: { ...env, GIT_TERMINAL_PROMPT: '0' },
      stdio: 'pipe',
      detached: true,
    })
    // Not spawn's own timeout: where git cannot be started, that one would keep ralph waiting.
    const timer = setTimeout(() => child.kill(), TIMEOUT_MS)
    const finish = (failed: boolean, stdout: string, complaint: string) => {
      clearTimeout(timer)
      resolve({ failed, stdout, stderr: complaint })
    }
    const chunks: Buffer[] = []
    let stderr = ''
    let room = MAX_BYTES
    child.stdout.on('data', (chunk: Buffer) => {
      room -= chunk.length
      if (room >= 0) chunks.push(chunk)
      else child.kill()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_COMPLAINT) stderr += chunk
    })
    child.on('error', error => finish(true, '', error.message))
    child.on('close', code => finish(code !== 0 || room < 0, Buffer.concat(chunks).toString(), stderr))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
