import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { scratch } from '../support/scratch.ts'

const HOOKS = join(import.meta.dirname, '..', '..', 'plugin', 'hooks')

export type Answer = { code: number | null; answer: Record<string, unknown> | null; stderr: string }

/** The built hooks as processes of their own, with exactly this environment, and a place for their memory. */
export function makeHooks(env: Record<string, string> = {}) {
  const tmp = scratch('ralph-hooks-')
  const call = (hook: string, input: object | string, more: Record<string, string> = {}): Answer => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(HOOKS, `${hook}.js`)], {
      input: typeof input === 'string' ? input : JSON.stringify(input),
      env: { PATH: process.env.PATH ?? '', TMPDIR: tmp, ...env, ...more },
      encoding: 'utf8',
    })
    return { code: status, answer: stdout === '' ? null : JSON.parse(stdout), stderr }
  }
  return { tmp, call }
}
