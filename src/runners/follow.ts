import type { Exit } from '../core/events.ts'
import type { Sink } from '../core/ports.ts'
import type { Launched } from './launch.ts'
import { splitLines } from './lines.ts'

/** How long a pipe that others still hold must be silent, after the process has exited, to count as read. */
const QUIET_MS = 30
/** When others keep writing to it: no longer than this. */
const PATIENCE_MS = 1000
/** More than a pipe can hold: after so much, nothing of it is the process's own. */
const PIPE_BYTES = 1024 * 1024

/**
 * Hands a process's output to the sink. Resolves once the process is gone and everything that it wrote was
 * handed over, even if a child of it keeps the pipe open. Rejects with what the sink throws.
 */
export function follow(child: Launched, sink: Sink): Promise<Exit> {
  return new Promise((resolve, reject) => {
    const lines = splitLines((line, cut) => sink.line(line, cut))
    let bytes = 0
    let over = false

    function leave(): void {
      over = true
      child.stdin?.destroy()
      child.stdout?.destroy()
      child.stderr?.destroy()
    }

    function hand(give: () => void): void {
      if (over) return
      try {
        give()
      } catch (error) {
        leave()
        reject(error)
      }
    }

    const finish = (exit: Exit): void =>
      hand(() => {
        lines.end()
        leave()
        resolve(exit)
      })

    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      hand(() => {
        sink.bytes(chunk)
        lines.push(chunk)
      })
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      hand(() => sink.error(chunk))
    })
    child.stdout?.on('error', () => {})
    child.stderr?.on('error', () => {})
    const count = () => bytes
    child.once('exit', (code, signal) => whenRead(count, () => finish({ code, signal })))
    child.once('close', (code, signal) => finish({ code, signal }))
  })
}

/**
 * What a process wrote is in the pipe when it exits. So a turn of the event loop that brings nothing means
 * that it was read; the immediate runs after such a turn, where a timer alone may fire before it.
 */
function whenRead(bytes: () => number, done: () => void): void {
  const atExit = bytes()
  const deadline = performance.now() + PATIENCE_MS
  let before = atExit
  const lookLater = () => setTimeout(setImmediate, QUIET_MS, look).unref()
  const look = (): void => {
    const late = performance.now() > deadline
    const isRead = bytes() === before || (late && bytes() - atExit > PIPE_BYTES)
    before = bytes()
    if (isRead) done()
    else if (late) setImmediate(look)
    else lookLater()
  }
  lookLater()
}
