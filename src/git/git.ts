import { execFile } from 'node:child_process'

const TIMEOUT_MS = 60_000
const MAX_BYTES = 256 * 1024 * 1024

/**
 * One git call of ralph's own: no locks taken for looking, no file-system monitor started,
 * no questions asked. null when git fails or is not there.
 */
export function git(cwd: string, env: Record<string, string>, args: string[]): Promise<string | null> {
  return new Promise(resolve => {
    execFile(
      'git',
      ['--no-optional-locks', '-c', 'core.fsmonitor=false', ...args],
      { cwd, env: { ...env, GIT_TERMINAL_PROMPT: '0' }, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES },
      (error, stdout) => resolve(error ? null : stdout),
    )
  })
}
