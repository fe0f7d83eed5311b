import { findFiles } from './find-files.ts'
import { readGlob } from './glob.ts'

export type Survey = {
  /** Patterns that match no file. */
  unmatched: string[]
  /** How many files the others match. */
  files: number
  /** A folder that may hold more of them, but cannot be looked into; null if there is none. */
  closed: string | null
}

/** Which files the patterns match in a folder now. Throws CannotGoOn if that takes too long. */
export function surveyPatterns(root: string, patterns: readonly string[]): Survey {
  const files = new Set<string>()
  const unmatched: string[] = []
  let closed: string | null = null
  for (const pattern of patterns) {
    const found = findFiles(root, readGlob(pattern))
    if (found.files.length === 0) unmatched.push(pattern)
    for (const file of found.files) files.add(file)
    closed ??= found.closed[0] ?? null
  }
  return { unmatched, files: files.size, closed }
}
