import { BEAT_MS, type LiveLine } from '../view/live-line.ts'

/** What is needed of standard output. As a terminal it has a width, which may change at any time. */
export type Out = {
  isTTY?: boolean
  columns?: number
  /** What was written and is not taken yet, and how much of it is enough. */
  writableLength?: number
  writableHighWaterMark?: number
  /** The bytes are not kept once `done` was called. */
  write(data: string | Uint8Array, done?: () => void): unknown
  on(event: 'error' | 'drain', listener: () => void): unknown
}

export type LiveStatus = {
  /** Something was heard: the line may have begun or ended to be needed. */
  stir(): void
  /** Takes the line away; it comes back with the next beat. */
  clear(): void
  close(): void
}

/**
 * To the left, and all that follows. A terminal that became narrower may have broken the line into several, or not:
 * a piece that stays is better than a line of somebody else's that goes.
 */
const ERASE = '\r\x1b[J'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/**
 * One line at the end of the output that is drawn again in place, at most once a beat and only while something is
 * under way. Whoever writes anything else clears it first. The cursor is never hidden, so that nothing needs to be
 * restored, however the process ends; the line itself goes when it exits.
 */
export function liveStatus(out: Out, live: LiveLine): LiveStatus {
  let timer: NodeJS.Timeout | null = null
  let drawn = ''

  function draw(): void {
    // The last column stays free: a line that fills it may make the terminal scroll.
    const line = live.line(Date.now(), columnsOf(out) - 1)
    if (line === drawn) return
    out.write(drawn === '' ? line : ERASE + line)
    drawn = line
  }
  function clear(): void {
    if (drawn !== '') out.write(ERASE)
    drawn = ''
  }
  // Someone is about to say something about it, on standard error perhaps.
  function onSignal(signal: NodeJS.Signals): void {
    clear()
    if (process.listenerCount(signal) > 1) return
    rest()
    process.kill(process.pid, signal)
  }
  function work(): void {
    timer = setInterval(draw, BEAT_MS).unref()
    process.on('exit', clear)
    for (const signal of SIGNALS) process.prependListener(signal, onSignal)
  }
  function rest(): void {
    clear()
    if (timer) clearInterval(timer)
    timer = null
    process.off('exit', clear)
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }

  return {
    stir() {
      if (live.isBusy() === (timer !== null)) return
      if (timer) rest()
      else work()
    },
    clear,
    close: rest,
  }
}

/** Some terminals say that they have no width. */
export const columnsOf = (out: Out): number => out.columns || 80
