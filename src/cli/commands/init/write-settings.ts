import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../../core/usage-error.ts'
import { jsonSchema } from '../../../settings/json-schema.ts'
import { replaceFile } from '../../../store/files/atomic.ts'
import { ignoreOwnFiles } from '../../../store/ignore.ts'
import type { Draft } from './draft.ts'

export const pretty = (value: unknown): string => JSON.stringify(value, null, 2)

/** Writes the settings, and beside them the schema that they name. */
export function writeSettings(project: string, draft: Draft): void {
  const folder = join(project, '.ralph')
  try {
    mkdirSync(folder, { recursive: true })
    ignoreOwnFiles(folder)
    replaceFile(join(folder, 'settings.schema.json'), `${pretty(jsonSchema())}\n`)
    // Last, so that the old settings stay valid until everything else is written.
    replaceFile(join(folder, 'settings.json'), `${pretty(draft)}\n`)
  } catch (error) {
    throw new UsageError(
      `cannot write .ralph/settings.json: ${(error as Error).message}; the settings are as they were`,
      { cause: error },
    )
  }
}
