import { execFile } from 'node:child_process'

const TIMEOUT_MS = 60_000
const MAX_BYTES = 256 * 1024 * 1024

/** What every git call of ralph's own begins with: no locks for looking, no file-system monitor started. */
export const QUIET = ['--no-optional-locks', '-c', 'core.fsmonitor=false']

/** Looks something up with git, asking nobody. null when git fails or is not there. */
export function git(
  cwd: string,
  env: Record<string, string>,
  args: string[],
  input = '',
): Promise<string | null> {
  return new Promise(resolve => {
    const child = execFile(
      'git',
      [...QUIET, ...args],
      { cwd, env: { ...env, GIT_TERMINAL_PROMPT: '0' }, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES },
      (error, stdout) => resolve(error ? null : stdout),
    )
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}
