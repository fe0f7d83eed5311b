import type { Clock } from '../core/ports.ts'

/** How often the clock looks whether ralph was suspended, while somebody waits for it. */
const BEAT_MS = 1000

/** A beat that comes this much too late means that ralph was suspended: by Ctrl+Z, SIGSTOP or a computer that slept. */
const LATE_MS = 1000

/** What the clock runs on. A test gives its own. */
export type ClockSource = {
  elapsed(): number
  timer(ms: number, callback: () => void): () => void
}

const system: ClockSource = {
  elapsed: () => performance.now(),
  timer(ms, callback) {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/**
 * The clock of this process. Time in which the process did not run is not counted by `elapsed`: an agent that worked
 * meanwhile was not silent, ralph did not listen. There are no timers while nobody waits.
 */
export function processClock(source: ClockSource = system): Clock {
  const timers = new Set<{ due: number }>()
  let suspended = 0
  let stopBeat = () => {}

  /** If the earliest timer is overdue, the process was suspended since then. */
  const countSuspended = () => {
    const late = source.elapsed() - Math.min(...[...timers].map(timer => timer.due))
    if (late < LATE_MS) return
    suspended += late
    for (const timer of timers) timer.due += late
  }

  function wait(ms: number, callback: () => void): () => void {
    const timer = { due: source.elapsed() + ms }
    timers.add(timer)
    const cancel = source.timer(ms, () => {
      countSuspended()
      timers.delete(timer)
      callback()
    })
    return () => {
      timers.delete(timer)
      cancel()
    }
  }

  function beat(): void {
    stopBeat = wait(BEAT_MS, beat)
  }

  let waiting = 0
  const begin = () => {
    if (waiting++ === 0) beat()
  }
  const end = () => {
    if (--waiting === 0) stopBeat()
  }

  return {
    now: () => Date.now(),
    elapsed() {
      countSuspended()
      return Math.round(source.elapsed() - suspended)
    },
    after(ms, callback) {
      let isOver = false
      const finish = () => {
        if (!isOver) end()
        isOver = true
      }
      begin()
      const cancel = wait(ms, () =>
        // What has come in the meantime is read first: it may be what was waited for.
        setImmediate(() => {
          if (isOver) return
          finish()
          callback()
        }),
      )
      return () => {
        cancel()
        finish()
      }
    },
  }
}
