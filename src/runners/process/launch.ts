import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from '../../core/ports.ts'
import { whenRoom } from '../../core/trouble/no-room.ts'
import { findProgram } from '../find-program.ts'

export type Launched = ChildProcess & { pid: number }

/**
 * Starts a process as the leader of its own group, and writes its standard input.
 * `output`: `pipe`, or an open file for both streams. `prefix`: a program that prepares the process and then becomes it.
 * Throws CannotGoOn if the system has no room for it, and has none a few seconds later either.
 */
export const launch = (
  command: Command,
  output: 'pipe' | number,
  prefix: readonly string[] = [],
): Promise<Launched> => whenRoom(command.argv[0] ?? '', delay, () => launchNow(command, output, prefix))

async function launchNow(
  command: Command,
  output: 'pipe' | number,
  prefix: readonly string[],
): Promise<Launched> {
  const [program = ''] = command.argv
  try {
    // Without the prefix, it is the system that says why a program cannot be started.
    const [first = '', ...args] = canStart(command) ? [...prefix, ...command.argv] : command.argv
    const child = spawn(first, args, {
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

/** Whether its program seems to be there and to be executable. */
export function canStart({ argv: [program = ''], cwd, env }: Command): boolean {
  const path = program.includes('/') ? resolve(cwd, program) : findProgram(program, env.PATH ?? '')
  if (path === null || findProgram(path, '') === null) return false
  const interpreter = interpreterOf(path)
  return interpreter === null || existsSync(resolve(cwd, interpreter))
}

/** What the first line of a script names. Null if it is no script, or cannot be read. */
function interpreterOf(path: string): string | null {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const start = Buffer.alloc(256)
    readSync(fd, start)
    return /^#!\s*([^\s\0]+)/.exec(start.toString('latin1'))?.[1] ?? null
  } catch {
    return null
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

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
