import { realpathSync, statSync } from 'node:fs'
import { UsageError } from '../core/usage-error.ts'

/** The real path of the project's folder: locks, trust and runs are found by it. */
export function projectOf(dir: string): string {
  try {
    const project = realpathSync(dir)
    if (statSync(project).isDirectory()) return project
  } catch {
    throw new UsageError(`--project-dir: ${dir} does not exist`)
  }
  throw new UsageError(`--project-dir: ${dir} is not a folder`)
}
