import type { RunEvent } from '../core/events.ts'
import { isForeground } from './foreground.ts'

/** What is used of standard input. */
export type InputStream = {
  isTTY?: boolean
  on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown
  on(event: 'error', listener: () => void): unknown
  off(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown
  resume(): unknown
  pause(): unknown
}

/** How the key is shown to the user. */
export const RETRY_KEY = 'Enter tries now'

/** Input that arrives sooner was typed before the wait began. */
const STALE_MS = 150

const POLL_MS = 2000

/**
 * Enter ends a wait. The terminal stays in line mode, so Ctrl+C and Ctrl+Z work as usual and nothing has to be restored
 * however the process ends. It reads only while the run waits and this process is in the foreground; what is typed at
 * other times is left for the next reader.
 */
export function listenForRetry(
  input: InputStream,
  retry: () => void,
): { onEvent(event: RunEvent): void; close(): void } {
  let readingSince: number | null = null
  let polling: NodeJS.Timeout | null = null

  const onData = () => {
    if (readingSince !== null && Date.now() - readingSince >= STALE_MS) retry()
  }
  function startReading(): void {
    if (readingSince !== null) return
    readingSince = Date.now()
    input.on('data', onData)
    input.resume()
  }
  function stopReading(): void {
    if (readingSince === null) return
    readingSince = null
    input.off('data', onData)
    input.pause()
  }
  /** Shells move a job between foreground and background, and do not always signal that. */
  const check = () => (isForeground() ? startReading() : stopReading())
  // Ctrl+Z: if it continues in the background, it must not be reading.
  const onStop = () => {
    stopReading()
    process.off('SIGTSTP', onStop)
    process.kill(process.pid, 'SIGTSTP')
  }
  const onContinue = () => {
    process.off('SIGTSTP', onStop)
    process.on('SIGTSTP', onStop)
    check()
  }
  function begin(): void {
    if (polling) return
    polling = setInterval(check, POLL_MS).unref()
    process.on('SIGCONT', onContinue)
    onContinue()
  }
  function end(): void {
    if (polling) clearInterval(polling)
    polling = null
    process.off('SIGCONT', onContinue)
    process.off('SIGTSTP', onStop)
    stopReading()
  }
  // A terminal that goes away must not end the run.
  input.on('error', () => {})
  return {
    onEvent: event => (event.type === 'waiting' ? begin() : end()),
    close: end,
  }
}
