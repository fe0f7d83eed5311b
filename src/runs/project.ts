import { realpathSync, statSync } from 'node:fs'
import { UsageError } from '../core/usage-error.ts'

/** The project's folder by its real path: locks, trust and runs go by it. */
export function projectOf(dir: string): string {
  try {
    const project = realpathSync(dir)
    if (statSync(project).isDirectory()) return project
  } catch {
    throw new UsageError(`--project-dir: ${dir} does not exist`)
  }
  throw new UsageError(`--project-dir: ${dir} is not a folder`)
}
