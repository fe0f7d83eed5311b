import { parseJson } from '../../core/json.ts'
import { keepBroken, readOrMove } from '../../store/broken.ts'
import { bytesAt, hasBytes, LIMITS } from '../../store/files/read.ts'
import { type KnownStories, withChangedStory } from './rules/changed-story.ts'
import { readStoriesWithoutNotes, type StoriesFile } from './rules/story-file.ts'
import type { StoryFilePaths } from './story-file-path.ts'

/**
 * Reads the story file. It is read several times per iteration and has mostly not changed, so it is parsed again only if
 * its bytes differ, and if one story is different, only that one. Nobody may change what is returned.
 */
export interface StoryFileReader {
  /** The stories; null if the file is not valid. */
  read(): StoriesFile | null
  /** The same, but what is not valid is kept beside it, and the error says why and where. */
  readOrKeep(): { file: StoriesFile } | { error: string }
  /** Call it after the file was written, or if it was read by somebody else: these bytes mean this file. */
  know(file: StoriesFile, bytes: Buffer): void
}

export function storyFileReader({ root, path }: StoryFilePaths): StoryFileReader {
  let last: KnownStories | null = null
  const unchanged = () => (last && hasBytes(path, last.bytes) ? last.file : null)

  function parse(bytes: Buffer): ReturnType<typeof parseStories> {
    const changed = last && withChangedStory(last, bytes)
    if (changed) {
      last = changed
      return changed
    }
    const parsed = parseStories(bytes.toString())
    if ('file' in parsed) last = { bytes, file: parsed.file }
    return parsed
  }

  return {
    read() {
      const known = unchanged()
      if (known) return known
      const bytes = bytesAt(path, { limit: LIMITS.text })
      const parsed = bytes && parse(bytes)
      return parsed && 'file' in parsed ? parsed.file : null
    },
    readOrKeep() {
      const known = unchanged()
      if (known) return { file: known }
      const found = readOrMove(root, path)
      if (found === null) return { error: 'tasks.json was removed. It is put back.' }
      if (!Buffer.isBuffer(found))
        return { error: broken(`tasks.json could not be used (${found.unusable}).`, found.kept) }
      const parsed = parse(found)
      if ('file' in parsed) return parsed
      return { error: broken(parsed.errors[0]!, keepBroken(root, path, found.toString())) }
    },
    know(file, bytes) {
      last = { bytes, file }
    },
  }
}

const broken = (why: string, kept: string) => `${why} It is put back. What was there is kept as ${kept}.`

export function parseStories(text: string): { file: StoriesFile } | { errors: string[] } {
  try {
    return readStoriesWithoutNotes(parseJson(text))
  } catch (error) {
    return { errors: [`tasks.json is not valid JSON: ${(error as Error).message}.`] }
  }
}
