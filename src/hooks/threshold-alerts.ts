import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Threshold, thresholds } from './context-use.ts'

/**
 * Takes a threshold for this call. False where it, or a higher one, was told already. Of several calls at the same
 * time, as when tools run side by side, one gets it: there can be only one such file.
 */
export function take(folder: string, threshold: Threshold): boolean {
  if (thresholds.some(higher => higher > threshold && existsSync(join(folder, String(higher))))) return false
  try {
    writeFileSync(join(folder, String(threshold)), '', { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Makes all thresholds tell again, and keeps what the session was started with. */
export function rearm(folder: string, model: string | undefined): void {
  for (const threshold of thresholds) rmSync(join(folder, String(threshold)), { force: true })
  if (model) writeFileSync(join(folder, MODEL), model, { mode: 0o600 })
}

const MODEL = 'model'

export function startedWith(folder: string): string | null {
  try {
    return readFileSync(join(folder, MODEL), 'utf8')
  } catch {
    return null
  }
}
