import { findFiles } from './find.ts'
import { readGlob } from './match.ts'

export type Survey = {
  /** Patterns that match no file. */
  unmatched: string[]
  /** How many files the others match. */
  files: number
}

/** What patterns come to in a folder as it is now. Throws CannotGoOn where that takes too long. */
export function surveyPatterns(root: string, patterns: readonly string[]): Survey {
  const files = new Set<string>()
  const unmatched: string[] = []
  for (const pattern of patterns) {
    const found = findFiles(root, readGlob(pattern))
    if (found.length === 0) unmatched.push(pattern)
    for (const file of found) files.add(file)
  }
  return { unmatched, files: files.size }
}
