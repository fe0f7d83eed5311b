import type { Clock } from './ports.ts'

/** Calls back once ralph itself has run for `ms`: a timer alone also counts time in which ralph was suspended. */
export function afterRunning(clock: Clock, ms: number, callback: () => void): () => void {
  const due = clock.elapsed() + ms
  let cancel = clock.after(ms, function look() {
    const left = due - clock.elapsed()
    if (left > 0) cancel = clock.after(left, look)
    else callback()
  })
  return () => cancel()
}
