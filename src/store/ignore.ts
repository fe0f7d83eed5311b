import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OWN_IGNORE } from '../core/own-ignore.ts'

/** What of `.ralph` is not for the repository. A file that is there stays as it is: a person may have changed it. */
export function ignoreOwnFiles(ralph: string): void {
  const path = join(ralph, '.gitignore')
  if (!existsSync(path)) writeFileSync(path, OWN_IGNORE)
}
