import { findFiles } from './find-files.ts'
import { readGlob } from './glob.ts'

export type Survey = {
  /** Patterns that match no file. */
  unmatched: string[]
  /** How many files the others match. */
  files: number
}

/** Which files the patterns match in a folder now. Throws CannotGoOn if that takes too long. */
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
