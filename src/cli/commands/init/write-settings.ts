import { join } from 'node:path'
import { UsageError } from '../../../core/usage-error.ts'
import { jsonSchema } from '../../../settings/json-schema.ts'
import { replaceFile } from '../../../store/files/atomic.ts'
import { inside, makeFolder } from '../../../store/files/inside.ts'
import { pinFolder } from '../../../store/files/pinned.ts'
import { ignoreOwnFiles } from '../../../store/ignore.ts'
import type { Draft } from './draft.ts'

const pretty = (value: unknown): string => JSON.stringify(value, null, 2)

/** Writes the settings, and beside them the schema that they name. */
export function writeSettings(project: string, draft: Draft): void {
  const folder = join(project, '.ralph')
  try {
    const root = pinFolder(project)
    makeFolder(root, folder)
    ignoreOwnFiles(root, folder)
    const write = (name: string, value: unknown) =>
      inside(root, join(folder, name), entry => replaceFile(entry, `${pretty(value)}\n`))
    write('settings.schema.json', jsonSchema())
    // Last, so that the old settings stay valid until everything else is written.
    write('settings.json', draft)
  } catch (error) {
    throw new UsageError(
      `cannot write .ralph/settings.json: ${(error as Error).message}; the settings are as they were`,
      { cause: error },
    )
  }
}
