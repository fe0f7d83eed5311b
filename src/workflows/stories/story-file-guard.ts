import { rmSync } from 'node:fs'
import { parseJson } from '../../core/json.ts'
import { actInside, forceReplaceFile, keepBroken } from '../../store/files/inside.ts'
import { LIMITS, textAt } from '../../store/files/read.ts'
import { dropNote, readNote, writeNote } from '../../store/notes.ts'
import type { ListPlace } from '../shared/list-file.ts'

// Protects the story file during the checks before the first iteration: what they write is not a person's edit.

/** The note that exists while the first checks run. If it is still there later, the stories were not restored. */
export const GUARD_NOTE = 'guard'

/** The note that lists steps whose agents' edits of the stories were judged before their checks ran. */
export const JUDGED_NOTE = 'judged'

type SavedStories = { text: string | null }

/** Saves the file as it is, so that it can be restored after a crash too. */
export function saveStories({ path }: ListPlace, runDir: string): void {
  if (readNote(runDir, GUARD_NOTE)) return
  writeNote(runDir, GUARD_NOTE, { text: textAt(path, { limit: LIMITS.text }) } satisfies SavedStories)
}

/** Restores the file if it changed since, and returns a sentence about it. */
export function restoreSaved({ root, path, writePath }: ListPlace, runDir: string): string | null {
  const saved = readNote<SavedStories>(runDir, GUARD_NOTE)
  if (!saved) return null
  const found = textAt(path, { limit: LIMITS.text })
  const isSame = found === saved.text || normalized(found) === normalized(saved.text)
  const kept = isSame || found === null ? '' : `; what was there is kept as ${keepBroken(root, path, found)}`
  if (!isSame && saved.text !== null) forceReplaceFile(root, writePath(), saved.text)
  if (!isSame && saved.text === null)
    actInside(root, path, entry => rmSync(entry, { recursive: true, force: true }))
  dropNote(runDir, GUARD_NOTE)
  return isSame ? null : `tasks.json was changed while the first checks ran, and is put back${kept}`
}

/** A check may format the file, so only its meaning is compared. */
function normalized(text: string | null): string | null {
  try {
    return text === null ? null : JSON.stringify(parseJson(text))
  } catch {
    return text
  }
}
