import { spawn } from 'node:child_process'
import { join } from 'node:path'

export const RALPH = join(import.meta.dirname, '..', '..', 'dist', 'ralph.js')

export type Ran = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }

export type Started = { pid: number; ended: Promise<Ran>; kill(signal: NodeJS.Signals): void }

/** Starts the built program with exactly this environment (and a PATH). */
export function startRalph(args: string[], options: { cwd: string; env: Record<string, string> }): Started {
  const child = spawn(process.execPath, [RALPH, ...args], {
    cwd: options.cwd,
    env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<Ran>((resolve, reject) => {
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', text => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', text => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  return { pid: child.pid!, ended, kill: signal => void child.kill(signal) }
}

export const runRalph = (
  args: string[],
  options: { cwd: string; env: Record<string, string> },
): Promise<Ran> => startRalph(args, options).ended
