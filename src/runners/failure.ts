import type { Exit } from '../core/events.ts'

/** `stopped`: why ralph ended it, or null. */
export type Failure = { exit: Exit; stopped: string | null; error: string | null }

/** Why a command did not pass, for the end of a sentence; null if it passed. */
export function failureOf({ exit, stopped, error }: Failure): string | null {
  if (error !== null) return `could not be run: ${error}`
  if (stopped !== null) return stopped
  if (exit.signal !== null) return `was killed by ${exit.signal}`
  if (exit.code === 127) return 'failed with exit code 127 (command not found)'
  return exit.code === 0 ? null : `failed with exit code ${exit.code}`
}
