import { parseJson } from '../../core/json.ts'
import { keepBroken, readOrMove } from '../../store/broken.ts'
import { LIMITS, textAt } from '../../store/files/read.ts'
import { readStoriesWithoutNotes, type StoriesFile } from './rules/story-file.ts'
import type { StoryFilePaths } from './story-file-path.ts'

/** The stories in the file. Null if it is not valid. */
export function storiesAt({ path }: StoryFilePaths): StoriesFile | null {
  const text = textAt(path, { limit: LIMITS.text })
  const parsed = text === null ? null : parseStories(text)
  return parsed && 'file' in parsed ? parsed.file : null
}

/** The same, but what is not valid is kept beside it, and the error says why and where. */
export function readOrKeepStories({ root, path }: StoryFilePaths): { file: StoriesFile } | { error: string } {
  const found = readOrMove(root, path)
  if (found === null) return { error: 'tasks.json was removed. It is put back.' }
  if (!Buffer.isBuffer(found))
    return { error: broken(`tasks.json could not be used (${found.unusable}).`, found.kept) }
  const text = found.toString()
  const parsed = parseStories(text)
  return 'file' in parsed ? parsed : { error: broken(parsed.errors[0]!, keepBroken(root, path, text)) }
}

const broken = (why: string, kept: string) => `${why} It is put back. What was there is kept as ${kept}.`

export function parseStories(text: string): { file: StoriesFile } | { errors: string[] } {
  try {
    return readStoriesWithoutNotes(parseJson(text))
  } catch (error) {
    return { errors: [`tasks.json is not valid JSON: ${(error as Error).message}.`] }
  }
}
