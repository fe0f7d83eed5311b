import type { Signals } from '../engine/run.ts'

/**
 * The first INT or TERM lets what is running finish; a second one, or HUP or QUIT, ends it now;
 * after that ralph itself goes (its warden sees to what is left).
 */
export function listenToSignals(say: (line: string) => void): { signals: Signals; close(): void } {
  const soft = new AbortController()
  const hard = new AbortController()
  const onSignal = (signal: NodeJS.Signals) => {
    if (hard.signal.aborted && signal !== 'SIGHUP') process.exit(130)
    if (!soft.signal.aborted) say('Received signal, shutting down...')
    const again = soft.signal.aborted
    soft.abort()
    if (again || signal === 'SIGHUP' || signal === 'SIGQUIT') hard.abort()
  }
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
  for (const name of names) process.on(name, onSignal)
  return {
    signals: { soft: soft.signal, hard: hard.signal },
    close: () => {
      if (soft.signal.aborted) leaveSoon()
      for (const name of names) process.off(name, onSignal).off(name, tooLate).once(name, tooLate)
    },
  }
}

/** How the run ended is decided, and so is the exit code; whoever insists ends ralph all the same. */
const tooLate = () => leaveSoon()

/** Whoever wants the end does not wait for a reader that does not take the last lines. */
const LAST_LINES_MS = 3000
const leaveSoon = () => setTimeout(() => process.exit(), LAST_LINES_MS).unref()
