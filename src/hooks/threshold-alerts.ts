import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LIMITS, textAt } from '../store/files/read.ts'
import { type Threshold, thresholds } from './context-use.ts'

/**
 * Claims a threshold for this call. Returns false if it, or a higher one, was already announced. Tools may run in
 * parallel: creating the file exclusively lets only one of several calls announce a threshold.
 */
export function claimThreshold(folder: string, threshold: Threshold): boolean {
  if (thresholds.some(higher => higher > threshold && existsSync(join(folder, String(higher))))) return false
  try {
    writeFileSync(join(folder, String(threshold)), '', { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Lets every threshold be announced again, and saves the model that the session started with. */
export function resetThresholds(folder: string, model: string | undefined): void {
  for (const threshold of thresholds) rmSync(join(folder, String(threshold)), { force: true })
  if (model) writeFileSync(join(folder, MODEL), model, { mode: 0o600 })
}

const MODEL = 'model'

export const modelAtStart = (folder: string): string | null =>
  textAt(join(folder, MODEL), { limit: LIMITS.small })
