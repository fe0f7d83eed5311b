import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OWN_IGNORE } from '../core/own-ignore.ts'
import { replaceFile } from './atomic.ts'

/**
 * What of `.ralph` is not for the repository. A file that is there stays as it is: a person may have changed it.
 * So it must be there whole or not at all, and what a crash leaves must lie where it is ignored.
 */
export function ignoreOwnFiles(ralph: string, aside = ralph): void {
  const path = join(ralph, '.gitignore')
  if (!existsSync(path)) replaceFile(path, OWN_IGNORE, 0o644, aside)
}
