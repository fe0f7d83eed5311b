import type { RunEvent } from '../core/events.ts'

/** What a key asks for. */
export type KeyAction = 'pause' | 'resume' | 'stop' | 'retry' | 'help'

export type Keys = {
  onEvent(event: RunEvent): void
  /** What is asked for by what was typed, in order. Everything else that was typed means nothing. */
  typed(text: string): KeyAction[]
}

/** How the keys are shown: while a run waits, while it is paused, at any other time, and all of them. */
export const KEY_HINTS = {
  waiting: 'Enter tries now',
  paused: 'p continues',
  any: '? keys',
  all: 'keys: p pauses after this iteration, or continues · q stops after this iteration · Enter ends a wait · Ctrl+C stops, twice: now',
}

/** The keys of a run: a fold over its events, because what a key means depends on what the run does. */
export function runKeys(): Keys {
  let isWaiting = false
  let isPaused = false
  let isStopping = false

  function actionOf(key: string): KeyAction | null {
    switch (key) {
      case '\r':
      case '\n':
        return isWaiting ? 'retry' : null
      case 'p':
        // Before the run has obeyed: a second press means the opposite.
        isPaused = !isPaused
        return isPaused ? 'pause' : 'resume'
      case 'q':
        // Only once: a key that is held down must not end what is running.
        if (isStopping) return null
        isStopping = true
        return 'stop'
      case '?':
        return 'help'
      default:
        return null
    }
  }
  return {
    onEvent(event) {
      if (event.type === 'control') isPaused = event.hold === 'pause'
      isWaiting = event.type === 'waiting' || (isWaiting && event.type === 'warned')
    },
    typed: text => [...text].map(actionOf).filter(action => action !== null),
  }
}
