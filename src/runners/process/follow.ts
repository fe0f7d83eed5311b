import type { Exit } from '../../core/events.ts'
import type { Sink } from '../../core/ports.ts'
import type { Launched } from './launch.ts'
import { splitLines } from './lines.ts'

/** How long a pipe that others still hold must be silent, after the process has exited, to count as read. */
const QUIET_MS = 30
/** When others keep writing to it: no longer than this. */
const PATIENCE_MS = 1000

/**
 * Hands a process's output to the sink. Resolves once the process is gone and everything that it wrote was
 * handed over, even if a child of it keeps the pipe open. Rejects with what the sink throws.
 */
export function follow(
  child: Launched,
  sink: Sink,
  { quietMs = QUIET_MS, patienceMs = PATIENCE_MS } = {},
): Promise<Exit> {
  return new Promise((resolve, reject) => {
    const lines = splitLines((line, cut) => sink.line(line, cut))
    let bytes = 0
    let over = false
    let gone = false
    let held = false

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

    function flow(): void {
      held = false
      child.stdout?.resume()
      child.stderr?.resume()
    }

    /** Whoever takes the output is behind: the process waits on its pipe, not what it wrote in our memory. */
    function holdBackOutput(): void {
      const wait = held || gone || over ? null : sink.ready?.()
      if (!wait) return
      held = true
      child.stdout?.pause()
      child.stderr?.pause()
      void wait.then(() => over || flow())
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
        holdBackOutput()
      })
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      hand(() => {
        sink.error(chunk)
        holdBackOutput()
      })
    })
    child.stdout?.on('error', () => {})
    child.stderr?.on('error', () => {})
    child.once('close', (code, signal) => finish({ code, signal }))
    child.once('exit', (code, signal) => {
      // What the process itself wrote was read by now, or is with the next look at the pipe: the event loop tells
      // of exits last.
      gone = true
      flow()
      const deadline = performance.now() + patienceMs
      let before = bytes
      const look = (): void => {
        if (bytes === before || performance.now() > deadline) finish({ code, signal })
        else lookLater()
        before = bytes
      }
      // On a busy day a timer fires before the pipe is looked at, an immediate after it.
      const lookLater = () => setTimeout(setImmediate, quietMs, look).unref()
      lookLater()
    })
  })
}
