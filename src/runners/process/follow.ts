import type { ChildProcess } from 'node:child_process'
import type { Exit } from '../../core/events.ts'
import type { Sink } from '../../core/ports.ts'
import { splitLines } from './lines.ts'

/** After the exit, a pipe that other processes still hold counts as read once it was silent for this long. */
const QUIET_MS = 30
/** If they keep writing to it, reading stops after this time. */
const MAX_DRAIN_MS = 1000

/** A process to follow: its streams, and the events of its exit (`exit`, and `close` once its output has ended). */
export type Followed = Pick<ChildProcess, 'stdin' | 'stdout' | 'stderr' | 'once'>

/**
 * Passes a process's output to the sink. Resolves when the process has exited and all its output was passed on, even if a
 * child of it keeps the pipe open. Rejects with what the sink throws.
 */
export function follow(
  child: Followed,
  sink: Sink,
  { quietMs = QUIET_MS, maxDrainMs = MAX_DRAIN_MS } = {},
): Promise<Exit> {
  return new Promise((resolve, reject) => {
    const lines = splitLines((line, cut) => sink.line(line, cut))
    let bytes = 0
    let isOver = false
    let hasExited = false
    let isPaused = false
    let nextCheck: NodeJS.Timeout | undefined

    function stopReading(): void {
      isOver = true
      clearTimeout(nextCheck)
      child.stdin?.destroy()
      child.stdout?.destroy()
      child.stderr?.destroy()
    }

    function passOn(act: () => void): void {
      if (isOver) return
      try {
        act()
      } catch (error) {
        stopReading()
        reject(error)
      }
    }

    function resume(): void {
      isPaused = false
      child.stdout?.resume()
      child.stderr?.resume()
    }

    /** If the sink is behind, the process has to wait on its pipe; its output must not fill ralph's memory. */
    function applyBackPressure(): void {
      const wait = isPaused || hasExited || isOver ? null : sink.backPressure?.()
      if (!wait) return
      isPaused = true
      child.stdout?.pause()
      child.stderr?.pause()
      void wait.then(() => isOver || resume())
    }

    const finish = (exit: Exit): void =>
      passOn(() => {
        lines.end()
        stopReading()
        resolve(exit)
      })

    const read = (pass: (chunk: Buffer) => void) => (chunk: Buffer) => {
      bytes += chunk.length
      passOn(() => {
        pass(chunk)
        sink.activity?.('stream')
        applyBackPressure()
      })
    }
    child.stdout?.on(
      'data',
      read(chunk => {
        sink.bytes(chunk)
        lines.push(chunk)
      }),
    )
    child.stderr?.on(
      'data',
      read(chunk => sink.error(chunk)),
    )
    child.stdout?.on('error', () => {})
    child.stderr?.on('error', () => {})
    child.once('close', (code, signal) => finish({ code, signal }))
    child.once('exit', (code, signal) => {
      // The process's own output is already read, or comes with the next read of the pipe: the event loop reports
      // exits last.
      hasExited = true
      resume()
      const deadline = performance.now() + maxDrainMs
      let bytesBefore = bytes
      const checkPipe = (): void => {
        if (bytes === bytesBefore || performance.now() > deadline) finish({ code, signal })
        else checkLater()
        bytesBefore = bytes
      }
      // On a busy machine a timer fires before the pipe is read, an immediate after it.
      const checkLater = () => {
        nextCheck = setTimeout(setImmediate, quietMs, checkPipe).unref()
      }
      checkLater()
    })
  })
}
