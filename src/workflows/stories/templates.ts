import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { textAt } from '../../store/files/regular-file.ts'

export type TemplateName = 'prd.md' | 'tasks.json' | 'progress.md' | 'prompt-stories.md'

/** A template of the package, from the folder `templates` beside or above the program. */
export function template(name: TemplateName): string {
  let root = __dirname
  while (!existsSync(join(root, 'templates', name)) && root !== dirname(root)) root = dirname(root)
  return readFileSync(join(root, 'templates', name), 'utf8')
}

/** The prompt template of a folder with stories, or ralph's own. Read again for every iteration. */
export const storyTemplate = (dir: string): string =>
  textAt(join(dir, 'prompt.md')) ?? template('prompt-stories.md')
