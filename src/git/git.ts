import { spawn } from 'node:child_process'

const TIMEOUT_MS = 60_000
const MAX_BYTES = 256 * 1024 * 1024

/** What every git call of ralph's own begins with: no locks for looking, no file-system monitor started. */
export const QUIET = ['--no-optional-locks', '-c', 'core.fsmonitor=false']

/**
 * Looks something up with git, asking nobody. null when git fails or is not there. It runs in a session of its own:
 * Ctrl+C at a terminal goes to everything in the foreground, and an answer must not be missing because of it.
 */
export function git(
  cwd: string,
  env: Record<string, string>,
  args: string[],
  input = '',
): Promise<string | null> {
  return new Promise(resolve => {
    const child = spawn('git', [...QUIET, ...args], {
      cwd,
      env: { ...env, GIT_TERMINAL_PROMPT: '0' },
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
      detached: true,
    })
    const chunks: Buffer[] = []
    let room = MAX_BYTES
    child.stdout.on('data', (chunk: Buffer) => {
      room -= chunk.length
      if (room >= 0) chunks.push(chunk)
      else child.kill()
    })
    child.on('error', () => resolve(null))
    child.on('close', code => resolve(code === 0 && room >= 0 ? Buffer.concat(chunks).toString() : null))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
