import { randomUUID } from 'node:crypto'
import { closeSync, constants, mkdirSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { constants as system } from 'node:os'
import { join } from 'node:path'
import type { Exit } from '../../core/events.ts'
import type { Command } from '../../core/ports.ts'
import { commandRunner } from '../run-command.ts'
import { agentScript, CALL_FILES, SHIM } from './shim.ts'

/** The folder of one call, which only the user can enter, and the pipes in it. */
export type CallFolder = {
  path(file: keyof typeof CALL_FILES): string
  folder: string
  output: CallPipe
  life: CallPipe
  /** Lets the agent begin. */
  go(): void
  /** What the shim wrote down. Null if it did not come to that. */
  exit(): Exit | null
  remove(): void
}

const TIMEOUT_MS = 10_000

export async function makeCallFolder(
  inside: string,
  command: Command,
  prefix: readonly string[],
): Promise<CallFolder> {
  const folder = join(inside, randomUUID())
  const path = (file: keyof typeof CALL_FILES) => join(folder, CALL_FILES[file])
  const remove = () => rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    const write = (file: keyof typeof CALL_FILES, text: string) =>
      writeFileSync(path(file), text, { mode: 0o600, flag: 'wx' })
    write('prompt', command.stdin)
    write('agent', agentScript(folder, command, prefix, process.pid))
    write('shim', SHIM)
    await makePipes([path('output'), path('life')])
    const output = openPipe(path('output'))
    const life = openPipe(path('life'))
    return {
      folder,
      path,
      output,
      life,
      go: () => write('go', ''),
      exit: () => readExit(path('exit')),
      remove() {
        output.close()
        life.close()
        remove()
      },
    }
  } catch (error) {
    remove()
    throw error
  }
}

async function makePipes(paths: string[]): Promise<void> {
  const run = commandRunner(new AbortController().signal)
  const env = { PATH: `/usr/bin:/bin:${process.env.PATH ?? ''}` }
  const ran = await run(['mkfifo', '-m', '600', ...paths], { cwd: '/', env, timeoutMs: TIMEOUT_MS })
  if (ran.end === 'exited' && ran.exit.code === 0) return
  const why = { exited: 'stderr' in ran ? ran.stderr.trim() : '', unstartable: 'why' in ran ? ran.why : '' }
  throw new Error(`mkfifo: ${(ran.end in why && why[ran.end as keyof typeof why]) || 'it did not end'}`)
}

/** A named pipe that is read as it fills, without polling. */
type CallPipe = {
  stream: Socket
  /** From now on it ends when nobody else holds it. */
  letEnd(): void
  close(): void
}

/** Opens a pipe that others will write to. It does not end before they have begun, because ralph holds it, too. */
function openPipe(path: string): CallPipe {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const stream = new Socket({ fd, readable: true, writable: false })
  stream.on('error', () => {})
  let held: number | null = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  const letEnd = () => {
    if (held !== null) closeSync(held)
    held = null
  }
  return {
    stream,
    letEnd,
    close() {
      letEnd()
      stream.destroy()
    },
  }
}

/** Above this, a shell reports the number of the signal that ended a process. */
const SIGNALS = 128

function readExit(path: string): Exit | null {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const text = Buffer.alloc(8)
    const code = Number(text.toString('latin1', 0, readSync(fd, text)))
    const signal = Object.entries(system.signals).find(([, number]) => number === code - SIGNALS)?.[0]
    return signal === undefined ? { code, signal: null } : { code: null, signal }
  } catch {
    return null
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
