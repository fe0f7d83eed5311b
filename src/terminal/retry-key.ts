import type { RunEvent } from '../core/events.ts'
import { isForeground } from './foreground.ts'

/** What is needed of standard input. */
export type In = {
  isTTY?: boolean
  on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown
  on(event: 'error', listener: () => void): unknown
  off(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown
  resume(): unknown
  pause(): unknown
}

/** How the key is named where it can be pressed. */
export const RETRY_KEY = 'Enter tries now'

/** What comes sooner was typed before anyone was told of a key. */
const STALE_MS = 150

const LOOK_MS = 2000

/**
 * Enter ends a wait. The terminal stays in its own mode, in which it hands over whole lines: so Ctrl+C and Ctrl+Z work
 * as ever, and nothing has to be put back, however the process ends. Nothing is read but while the run waits and this
 * process is in the foreground; what is typed at other times stays for whoever reads next.
 */
export function listenForRetry(input: In, retry: () => void): { hear(event: RunEvent): void; close(): void } {
  let openedAt: number | null = null
  let looking: NodeJS.Timeout | null = null

  const onData = () => {
    if (openedAt !== null && Date.now() - openedAt >= STALE_MS) retry()
  }
  function open(): void {
    if (openedAt !== null) return
    openedAt = Date.now()
    input.on('data', onData)
    input.resume()
  }
  function shut(): void {
    if (openedAt === null) return
    openedAt = null
    input.off('data', onData)
    input.pause()
  }
  /** Shells move a job between foreground and background, and do not always tell it. */
  const look = () => (isForeground() ? open() : shut())
  // Ctrl+Z: taken up again in the background, it must not be reading already.
  const onStop = () => {
    shut()
    process.off('SIGTSTP', onStop)
    process.kill(process.pid, 'SIGTSTP')
  }
  const onContinue = () => {
    process.off('SIGTSTP', onStop)
    process.on('SIGTSTP', onStop)
    look()
  }
  function begin(): void {
    if (looking) return
    looking = setInterval(look, LOOK_MS).unref()
    process.on('SIGCONT', onContinue)
    onContinue()
  }
  function end(): void {
    if (looking) clearInterval(looking)
    looking = null
    process.off('SIGCONT', onContinue)
    process.off('SIGTSTP', onStop)
    shut()
  }
  // A terminal that goes away is no reason to end a run that someone counts on.
  input.on('error', () => {})
  return {
    hear: event => (event.type === 'waiting' ? begin() : end()),
    close: end,
  }
}
