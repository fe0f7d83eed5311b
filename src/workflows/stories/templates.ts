import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { textAt } from '../../store/files/put-file.ts'

export type TemplateName = 'prd.md' | 'tasks.json' | 'progress.md' | 'prompt-stories.md'

/** A file that the package brings along, in a folder beside its program. */
export function template(name: TemplateName): string {
  let root = __dirname
  while (!existsSync(join(root, 'templates', name)) && root !== dirname(root)) root = dirname(root)
  return readFileSync(join(root, 'templates', name), 'utf8')
}

/** The prompt of a folder with stories, read anew for every iteration; ours where it has none. */
export const storyTemplate = (dir: string): string =>
  textAt(join(dir, 'prompt.md')) ?? template('prompt-stories.md')
