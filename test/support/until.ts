import { setTimeout as delay } from 'node:timers/promises'

const PATIENCE_MS = 20_000
const POLL_MS = 25

/** Waits for a condition, not for a time. */
export async function until<T>(look: () => T | Promise<T>, what = 'it'): Promise<NonNullable<T>> {
  for (const start = Date.now(); Date.now() - start < PATIENCE_MS; await delay(POLL_MS)) {
    const found = await look()
    if (found) return found as NonNullable<T>
  }
  throw new Error(`${what} never happened`)
}
