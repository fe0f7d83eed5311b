import { join } from 'node:path'
import { UsageError } from '../../../core/usage-error.ts'
import { projectOf } from '../../../runs/project.ts'
import { replaceFile } from '../../../store/files/atomic.ts'
import { inside, kindAt } from '../../../store/files/inside.ts'
import { pinFolder } from '../../../store/files/pinned.ts'
import { requireWritable } from '../../../store/files/writable.ts'
import { printText } from '../../../terminal/print.ts'
import { template } from '../../../workflows/stories/templates.ts'
import type { InitOptions } from '../../verbs/begin.ts'

const FILE = 'PROMPT.md'

/** `ralph init prompt`: a prompt to start from, in the project's folder. */
export function initPrompt({ projectDir, force }: InitOptions): number {
  const root = pinFolder(projectOf(projectDir, process.env))
  const path = join(root.path, FILE)
  const isThere = kindAt(path) !== null
  if (isThere && !force) throw new UsageError(`${FILE} already exists (use --force to overwrite)`)
  requireWritable(path, 'the prompt is kept there', () =>
    inside(root, path, entry => replaceFile(entry, template('prompt.md'))),
  )
  printText(`created ${FILE}${isThere ? ' (overwritten)' : ''}`)
  return 0
}
