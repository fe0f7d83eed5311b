import type { RunEvent } from '../core/events.ts'
import { type KeyAction, runKeys } from '../view/keys.ts'
import { isForeground } from './foreground.ts'
import type { KeyMode } from './key-mode.ts'

/** What is used of standard input. */
export type InputStream = {
  isTTY?: boolean
  on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown
  on(event: 'error', listener: () => void): unknown
  off(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown
  resume(): unknown
  pause(): unknown
}

/** Input that arrives sooner was typed before anybody listened. */
const STALE_MS = 150

const POLL_MS = 2000

/** After these a question is answered. */
const ANSWERED: ReadonlySet<RunEvent['type']> = new Set(['started', 'ended', 'checked', 'settled', 'stopped'])

/**
 * Reads the keys that steer a run, from its beginning to its end. It reads only while this process is in the foreground
 * and nobody is asked a question. Nothing that is typed is shown, or left for the shell. `beforeStop`: Ctrl+Z was
 * pressed, and a shell is about to write.
 */
export function listenToKeys(
  input: InputStream,
  mode: KeyMode,
  act: (action: KeyAction) => void,
  beforeStop: () => void,
): { onEvent(event: RunEvent): void; close(): void } {
  const keys = runKeys()
  let readingSince: number | null = null
  let isAsking = false

  const onData = (chunk: Uint8Array | string) => {
    if (readingSince === null || performance.now() - readingSince < STALE_MS) return
    for (const action of keys.typed(chunk.toString())) act(action)
  }
  function startReading(): void {
    if (readingSince !== null) return
    readingSince = performance.now()
    mode.on()
    input.on('data', onData)
    input.resume()
  }
  function stopReading(): void {
    if (readingSince === null) return
    readingSince = null
    input.off('data', onData)
    input.pause()
    mode.off()
  }
  /** Shells move a job between foreground and background, and do not always signal that. */
  const check = () => (isForeground() && !isAsking ? startReading() : stopReading())
  // Ctrl+Z: if it continues in the background, it must not be reading.
  const onStop = () => {
    beforeStop()
    stopReading()
    process.off('SIGTSTP', onStop)
    process.kill(process.pid, 'SIGTSTP')
  }
  const onContinue = () => {
    process.off('SIGTSTP', onStop)
    process.on('SIGTSTP', onStop)
    check()
  }
  // A terminal that goes away must not end the run.
  input.on('error', () => {})
  const polling = setInterval(check, POLL_MS).unref()
  process.on('SIGCONT', onContinue)
  onContinue()
  return {
    onEvent(event) {
      keys.onEvent(event)
      if (event.type === 'asking') isAsking = true
      else if (!isAsking || !ANSWERED.has(event.type)) return
      else isAsking = false
      check()
    },
    close() {
      clearInterval(polling)
      process.off('SIGCONT', onContinue)
      process.off('SIGTSTP', onStop)
      stopReading()
    },
  }
}
