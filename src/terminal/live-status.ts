import { FRAME_MS, type LiveLine } from '../view/live-line.ts'

/** What is used of standard output. A terminal has a width, which may change at any time. */
export type OutputStream = {
  isTTY?: boolean
  columns?: number
  /** How many bytes nobody has read yet, and how many are too many. */
  writableLength?: number
  writableHighWaterMark?: number
  /** Does not use the bytes after it has called `done`. */
  write(data: string | Uint8Array, done?: () => void): unknown
  on(event: 'error' | 'drain', listener: () => void): unknown
}

export type LiveStatus = {
  /** Call it after an event: starts or stops drawing, if something began or ended. */
  update(): void
  /** Draws it once everyone has written about an event. */
  drawSoon(): void
  /** Removes the line until it is drawn again. */
  clear(): void
  /** Puts the line back below what was just written, as it was. */
  redraw(): void
  close(): void
}

/**
 * From the start of this line to the end of the screen. A terminal that became narrower may have wrapped the line; then
 * a piece of it stays, which is better than erasing a line above that is not ours.
 */
const ERASE = '\r\x1b[J'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const

/**
 * One line at the end of the output, redrawn in place every FRAME_MS while something is under way. Clear it before you
 * write anything else. The cursor is never hidden, so nothing has to be restored however the process ends; the line
 * itself is removed at exit.
 */
export function liveStatus(out: OutputStream, live: LiveLine): LiveStatus {
  let timer: NodeJS.Timeout | null = null
  let isDue = false
  let drawn = ''
  /** The line as it was last made: a fast stream must not make it again for every piece. */
  let last = ''
  let lastColumns = 0

  function draw(): void {
    // The last column stays free: a line that fills it may make the terminal scroll.
    lastColumns = columnsOf(out)
    last = live.line(Date.now(), lastColumns - 1)
    show()
  }
  function show(): void {
    // A terminal that does not read gets no more of them.
    if (last === drawn || (out.writableLength ?? 0) > 0) return
    out.write(drawn === '' ? last : ERASE + last)
    drawn = last
  }
  function clear(): void {
    if (drawn !== '') out.write(ERASE)
    drawn = ''
  }
  // A listener is about to write about the signal, perhaps to standard error.
  function onSignal(signal: NodeJS.Signals): void {
    clear()
    if (process.listenerCount(signal) > 1) return
    stop()
    process.kill(process.pid, signal)
  }
  function start(): void {
    timer = setInterval(draw, FRAME_MS).unref()
    drawSoon()
    process.on('exit', clear)
    for (const signal of SIGNALS) process.prependListener(signal, onSignal)
  }
  function drawSoon(): void {
    if (isDue) return
    isDue = true
    setImmediate(() => {
      isDue = false
      if (timer) draw()
    })
  }
  function stop(): void {
    clear()
    last = ''
    if (timer) clearInterval(timer)
    timer = null
    process.off('exit', clear)
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }

  return {
    update() {
      if (live.isBusy() === (timer !== null)) return
      if (timer) stop()
      else start()
    },
    drawSoon,
    clear,
    redraw() {
      if (!timer) return
      if (columnsOf(out) === lastColumns) show()
      else draw()
    },
    close: stop,
  }
}

/** Some terminals report a width of 0. */
export const columnsOf = (out: OutputStream): number => out.columns || 80
