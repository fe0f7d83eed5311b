import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { LIMITS, readRegularFile, textAt } from '../../store/files/read.ts'

export type TemplateName =
  | 'prompt.md'
  | 'prd.md'
  | 'tasks.json'
  | 'progress.md'
  | 'prompt-stories.md'
  | `demo/${string}.yaml`

/** A template of the package, from the folder `templates` beside or above the program. */
export function template(name: TemplateName): string {
  let root = __dirname
  while (!existsSync(join(root, 'templates', name)) && root !== dirname(root)) root = dirname(root)
  return readRegularFile(join(root, 'templates', name), { limit: LIMITS.text }).toString()
}

/** The prompt template of a folder with stories, or ralph's own. Read again for every iteration. */
export const storyTemplate = (dir: string): string =>
  textAt(join(dir, 'prompt.md'), { limit: LIMITS.text }) ?? template('prompt-stories.md')
