import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** The built program; `GOLDEN_BUILD` names another build of it. */
export const RALPH = process.env.GOLDEN_BUILD ?? join(import.meta.dirname, '..', '..', 'dist', 'ralph.js')

/** What a command line came to. */
export type Ran = { code: number | null; stdout: string; stderr: string }

/** The same of a process of its own, which a signal may have ended. */
type Ended = Ran & { signal: NodeJS.Signals | null }

export type Started = {
  pid: number
  ended: Promise<Ended>
  kill(signal: NodeJS.Signals): void
  /** Sends the second one when the first was heard: two at once may be one. */
  killTwice(signal: NodeJS.Signals): Promise<void>
}

/** Starts the built program with exactly this environment (and a PATH). */
export function startRalph(args: string[], options: { cwd: string; env: Record<string, string> }): Started {
  const child = spawn(process.execPath, [RALPH, ...args], {
    cwd: options.cwd,
    env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  const ended = new Promise<Ended>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', text => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', text => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  return {
    pid: child.pid!,
    ended,
    kill: signal => void child.kill(signal),
    async killTwice(signal) {
      child.kill(signal)
      while (!stderr.includes('Received signal') && child.exitCode === null) await delay(10)
      child.kill(signal)
    },
  }
}

export const runRalph = (
  args: string[],
  options: { cwd: string; env: Record<string, string> },
): Promise<Ended> => startRalph(args, options).ended
