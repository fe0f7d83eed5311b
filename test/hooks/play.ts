import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { compileFunction } from 'node:vm'
import { scratch } from '../support/scratch.ts'
import { standIn } from '../support/stand-in.ts'

const HOOKS = join(import.meta.dirname, '..', '..', 'plugin', 'hooks')

type Answer = { code: number | null; answer: Record<string, unknown> | null; stderr: string }

type Env = Record<string, string>

/** The built hooks with exactly this environment, and a place for their memory. */
export function makeHooks(env: Env = {}) {
  const tmp = scratch('ralph-hooks-')
  const call =
    (run: Run) =>
    (hook: string, input: object | string, more: Env = {}) => {
      const text = typeof input === 'string' ? input : JSON.stringify(input)
      const { code, stdout, stderr } = run(join(HOOKS, `${hook}.js`), text, {
        PATH: process.env.PATH ?? '',
        TMPDIR: tmp,
        ...env,
        ...more,
      })
      return { code, answer: stdout === '' ? null : JSON.parse(stdout), stderr } as Answer
    }
  return { tmp, call: call(runHere), spawn: call(runAlone) }
}

type Run = (path: string, input: string, env: Env) => { code: number | null; stdout: string; stderr: string }

/** As a process of its own. */
const runAlone: Run = (path, input, env) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path], { input, env, encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

/** In this process, with this text on descriptor 0. */
const runHere: Run = (path, input, env) => {
  const left = Buffer.from(input)
  let at = 0
  const readSync = (fd: number, chunk: Buffer, ...rest: unknown[]): number => {
    if (fd !== 0) return Reflect.apply(fs.readSync, fs, [fd, chunk, ...rest])
    const size = left.copy(chunk, 0, at)
    at += size
    return size
  }
  const load = createRequire(path)
  const loadHere = (name: string) => (name === 'node:fs' ? { ...fs, readSync } : load(name))
  const codeBefore = process.exitCode
  const program = standIn({ argv: [path], cwd: process.cwd(), env })
  process.exitCode = 0
  try {
    compileFunction(fs.readFileSync(path, 'utf8'), ['require'], { filename: path })(loadHere)
    return { code: Number(process.exitCode), stdout: program.stdout(), stderr: program.stderr() }
  } finally {
    process.exitCode = codeBefore
    program.leave()
  }
}
