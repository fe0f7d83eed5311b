import { rmSync } from 'node:fs'
import { putFile, textAt } from '../../store/files/put-file.ts'
import { keepBroken } from '../../store/list-file.ts'
import { parseJson } from './rules/story-file.ts'

export interface StoryFence {
  up(): void
  /** Puts back what changed behind it, and says so. */
  down(): string | null
}

type Held = { text: string | null }

/**
 * Keeps the story file while the checks run that come before any iteration: what they write is no person's word.
 * `note` is where it is held, so that after a crash the file is still put back.
 */
export function storyFence(
  /** The file, and where to write it. */
  { path, place }: { path: string; place(): string },
  note: { read(): Held | null; write(held: Held): void; drop(): void },
): StoryFence {
  return {
    up() {
      if (!note.read()) note.write({ text: textAt(path) })
    },
    down() {
      const held = note.read()
      if (!held) return null
      const found = textAt(path)
      const isSame = meaning(found) === meaning(held.text)
      const kept = isSame || found === null ? '' : `; what was there is kept as ${keepBroken(path, found)}`
      if (!isSame) put(held.text === null ? path : place(), held.text)
      note.drop()
      return isSame ? null : `tasks.json was changed while the first checks ran, and is put back${kept}`
    },
  }
}

function put(path: string, text: string | null): void {
  if (text === null) rmSync(path, { recursive: true, force: true })
  else putFile(path, text)
}

/** A formatter may run: what means the same is the same. */
function meaning(text: string | null): string | null {
  try {
    return text === null ? null : JSON.stringify(parseJson(text))
  } catch {
    return text
  }
}
