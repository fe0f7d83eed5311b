import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import type { Command } from '../../core/ports.ts'

export type Launched = ChildProcess & { pid: number }

/**
 * Starts a process as the leader of its own group, and writes its standard input.
 * `output`: `pipe`, or an open file for both streams.
 */
export async function launch(command: Command, output: 'pipe' | number): Promise<Launched> {
  const [program = '', ...args] = command.argv
  try {
    const child = spawn(program, args, {
      cwd: command.cwd,
      env: command.env,
      detached: true,
      stdio: [command.stdin === '' ? 'ignore' : 'pipe', output, output],
    })
    if (!hasStarted(child)) throw (await once(child, 'error'))[0]
    child.on('error', () => {})
    // A process need not read its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(command.stdin)
    return child
  } catch (error) {
    throw new Error(`cannot start ${program}: ${explain(error as NodeJS.ErrnoException, program, command)}`, {
      cause: error,
    })
  }
}

const hasStarted = (child: ChildProcess): child is Launched => child.pid !== undefined

/** The system reports ENOENT for a missing program, folder or interpreter. */
function explain(error: NodeJS.ErrnoException, program: string, { cwd, env }: Command): string {
  const folder = statSync(cwd, { throwIfNoEntry: false })
  if (!folder) return `the folder ${cwd} does not exist`
  if (!folder.isDirectory()) return `${cwd} is not a folder`
  switch (error.code) {
    case 'ENOENT':
      if (program.includes('/'))
        return existsSync(resolve(cwd, program)) ? 'its interpreter does not exist' : 'no such file'
      return (env.PATH ?? '').split(delimiter).some(path => existsSync(join(path, program)))
        ? 'its interpreter does not exist'
        : 'not found on PATH'
    case 'EACCES':
      return 'it is not executable'
    case 'E2BIG':
      return 'its arguments and environment are too long'
    default:
      return error.message
  }
}
