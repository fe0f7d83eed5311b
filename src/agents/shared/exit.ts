import type { Exit } from '../../core/events.ts'

/** How a process ended, in words: `exit code 3`, `killed by SIGTERM`. */
export function describeExit({ code, signal }: Exit): string {
  if (code !== null) return `exit code ${code}`
  return signal === null ? 'no exit status' : `killed by ${signal}`
}
