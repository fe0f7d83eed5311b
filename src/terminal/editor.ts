import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS, textAt } from '../store/files/read.ts'

/** The user's editor. It may hold arguments ("code --wait"). */
export const editorOf = (env: NodeJS.ProcessEnv): string => env.VISUAL || env.EDITOR || 'vi'

/** Opens a text in an editor, as a file with this ending, and waits until the editor is closed. */
export function editText(
  text: string,
  ending: string,
  editor: string,
): { text: string } | { trouble: string } {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-edit-'))
  const path = join(folder, `text.${ending}`)
  try {
    writeFileSync(path, text, { mode: 0o600 })
    // Through a shell, which splits its arguments.
    const { status, signal, error } = spawnSync('/bin/sh', ['-c', `${editor} "$1"`, 'editor', path], {
      stdio: 'inherit',
    })
    const how = error?.message ?? (signal ? `ended by ${signal}` : `exit ${status}`)
    if (error || status !== 0) return { trouble: `The editor ${editor} failed (${how})` }
    const edited = textAt(path, { limit: LIMITS.text }) ?? ''
    return edited.trim() === '' ? { trouble: 'The file came back empty' } : { text: edited }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
