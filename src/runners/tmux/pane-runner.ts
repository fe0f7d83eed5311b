import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { Transform } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Exit } from '../../core/events.ts'
import { shellQuoted } from '../../core/format.ts'
import { CannotGoOn, type Command, type Sink } from '../../core/ports.ts'
import type { MakeRunner } from '../index.ts'
import { type Followed, follow } from '../process/follow.ts'
import { canStart } from '../process/launch.ts'
import type { StartedProcess } from '../process/process.ts'
import { type CallFolder, makeCallFolder } from './call-files.ts'
import { plainOutput, watchScreen } from './screen.ts'
import { endMark } from './shim.ts'
import { captureScreen, runInWindow, type WorkerWindow } from './window.ts'

/**
 * Runs commands that print for people in the window of a worker, where one can look at them. All else, and the marks, the
 * warden, stopping and sweeping, are those of the runner that `make` gives. The window holds one agent at a time; a second
 * one runs without a window.
 */
export const paneRunner =
  (make: MakeRunner, window: WorkerWindow, folderFor: (run: string) => string): MakeRunner =>
  options => {
    const runner = make(options)
    let isTaken = false
    return {
      ...runner,
      start(command, id, sink) {
        // The other runner says why something cannot be started.
        if (!command.plain || isTaken || !canStart(command)) return runner.start(command, id, sink)
        isTaken = true
        return runner
          .startBy(command, id, async (marked, prefix) => {
            const started = await startInPane(window, folderFor(options.run), marked, prefix, sink)
            const free = () => {
              isTaken = false
            }
            return { ...started, follow: () => started.follow().finally(free) }
          })
          .catch(error => {
            isTaken = false
            throw error
          })
      },
    }
  }

/** How long the shim has to begin. */
const START_MS = 10_000
/**
 * After the exit, the rest of the output comes through tmux and a pipe, and ends with a mark. Without the mark, it counts
 * as read after this silence.
 */
const DRAIN = { quietMs: 1000, maxDrainMs: 30_000 }

/** Starts a marked command in the window of a worker. `inside`: the folder for its files. */
async function startInPane(
  window: WorkerWindow,
  inside: string,
  command: Command,
  prefix: readonly string[],
  sink: Sink,
): Promise<StartedProcess> {
  const nonce = randomUUID()
  let call: CallFolder | null = null
  try {
    call = await makeCallFolder(inside, command, prefix)
    const shim = ['/bin/sh', call.path('shim'), call.folder, nonce, window.view]
    const pane = await runInWindow(window, shim, `exec cat >${shellQuoted(call.path('output'))}`)
    const pid = await Promise.race([pidFrom(call), delay(START_MS, null, { ref: false })])
    if (pid === null) throw new Error(`its shell did not begin within ${START_MS / 1000}s`)
    return inPane(call, pid, window, pane, nonce, ownLines(sink, command.stdin))
  } catch (error) {
    call?.remove()
    // It is not the agent's failure.
    throw new CannotGoOn(`cannot run ${command.argv[0]} in its window: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** The agent's pid, which the shim's child sends. */
function pidFrom({ life }: CallFolder): Promise<number> {
  return new Promise(resolve => {
    let text = ''
    life.stream.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk
      if (!text.includes('\n')) return
      life.letEnd()
      resolve(Number(text.split('\n', 1)[0]))
    })
  })
}

function inPane(
  call: CallFolder,
  pid: number,
  { server }: WorkerWindow,
  pane: string,
  nonce: string,
  sink: Sink,
): StartedProcess {
  const { life, output } = call
  const own = untilMark(endMark(nonce))
  const events = new EventEmitter()
  let exit: Exit | null = null
  let hasAll = false
  const closed = () => {
    if (exit !== null && hasAll) events.emit('close', exit.code, exit.signal)
  }
  // Only the shim holds it: it closes it after the agent's exit, or has died itself.
  life.stream.once('close', () => {
    exit = call.exit() ?? LOST
    events.emit('exit', exit.code, exit.signal)
    closed()
  })
  own.once('end', () => {
    hasAll = true
    closed()
  })
  const followed: Followed = {
    stdin: null,
    stdout: own,
    stderr: null,
    once: events.once.bind(events) as never,
  }
  return {
    pid,
    watched: 'screen',
    go: call.go,
    onExit: callback => void events.once('exit', callback),
    async follow() {
      const screen = watchScreen(
        () => captureScreen(server, pane),
        () => sink.activity?.('screen'),
      )
      output.stream.pipe(own)
      try {
        await follow(followed, { ...sink, activity: screen.printed }, DRAIN)
        return exit ?? LOST
      } finally {
        screen.close()
        call.remove()
      }
    },
  }
}

/** The window or its server is gone, and the shim with it. */
const LOST: Exit = {
  code: null,
  signal: 'SIGHUP',
  lost: 'the window that the agent ran in was closed, or its tmux server ended',
}

/** Gives lines as people read them, and marks those of the prompt. */
function ownLines(sink: Sink, prompt: string): Sink {
  const asked = new Set(prompt.split('\n').map(line => line.trim()))
  asked.delete('')
  return {
    ...sink,
    line(line, cut) {
      const plain = plainOutput(line)
      sink.line(plain, cut, asked.has(plain.trim()))
    },
  }
}

/** Passes bytes on up to a mark, which two chunks may share, and ends there. */
function untilMark(mark: string): Transform {
  const wanted = Buffer.from(mark)
  let held: Buffer = Buffer.alloc(0)
  let isOver = false
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (isOver) return done()
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      const at = bytes.indexOf(wanted)
      isOver = at >= 0
      const end = isOver ? at : bytes.length - overlap(bytes, wanted)
      held = isOver ? Buffer.alloc(0) : bytes.subarray(end)
      if (end > 0) this.push(bytes.subarray(0, end))
      if (isOver) this.push(null)
      done()
    },
    flush(done) {
      if (!isOver && held.length > 0) this.push(held)
      done()
    },
  })
}

/** How many of the last bytes may be the beginning of the mark. */
function overlap(bytes: Buffer, mark: Buffer): number {
  for (let length = Math.min(bytes.length, mark.length - 1); length > 0; length--)
    if (bytes.subarray(bytes.length - length).equals(mark.subarray(0, length))) return length
  return 0
}
