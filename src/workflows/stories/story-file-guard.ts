import { rmSync } from 'node:fs'
import { parseJson } from '../../core/json.ts'
import { actInside, forceReplaceFile, keepBroken } from '../../store/files/inside.ts'
import type { PinnedFolder } from '../../store/files/pinned.ts'
import { LIMITS, textAt } from '../../store/files/read.ts'
import type { ListPlace } from '../shared/list-file.ts'

export interface StoryFileGuard {
  /** Saves the file as it is. */
  save(): void
  /** Restores the file if it changed since, and returns a sentence about it. */
  restore(): string | null
}

type SavedStoryFile = { text: string | null }

/**
 * Protects the story file during the checks before the first iteration: what they write is not a person's edit.
 * `note` stores the file, so that it can be restored after a crash too.
 */
export function guardStoryFile(
  { root, path, writePath }: ListPlace,
  note: { read(): SavedStoryFile | null; write(saved: SavedStoryFile): void; drop(): void },
): StoryFileGuard {
  return {
    save() {
      if (!note.read()) note.write({ text: textAt(path, { limit: LIMITS.text }) })
    },
    restore() {
      const saved = note.read()
      if (!saved) return null
      const found = textAt(path, { limit: LIMITS.text })
      const isSame = found === saved.text || normalized(found) === normalized(saved.text)
      const kept =
        isSame || found === null ? '' : `; what was there is kept as ${keepBroken(root, path, found)}`
      if (!isSame) writeOrRemove(root, saved.text === null ? path : writePath(), saved.text)
      note.drop()
      return isSame ? null : `tasks.json was changed while the first checks ran, and is put back${kept}`
    },
  }
}

function writeOrRemove(root: PinnedFolder, path: string, text: string | null): void {
  if (text === null) actInside(root, path, entry => rmSync(entry, { recursive: true, force: true }))
  else forceReplaceFile(root, path, text)
}

/** A check may format the file, so only its meaning is compared. */
function normalized(text: string | null): string | null {
  try {
    return text === null ? null : JSON.stringify(parseJson(text))
  } catch {
    return text
  }
}
