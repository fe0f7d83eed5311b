import { join } from 'node:path'
import { CannotGoOn } from '../core/ports.ts'
import { UsageError } from '../core/usage-error.ts'
import { quote } from '../core/visible.ts'
import { git } from '../git/git.ts'
import { type Protection, protection } from '../protect/protection.ts'
import { MAX_FILES } from '../protect/snapshot.ts'
import { surveyPatterns } from '../protect/survey.ts'
import { replaceFile } from '../store/files/atomic.ts'
import type { RunSpec } from '../workflows/spec.ts'
import type { ProtectedArea } from '../workflows/workflow.ts'

/** Always protected: the rules of later runs and the specification. */
const ALWAYS = ['.ralph/settings*', 'ralph/prd.md']

export function composeProtection(
  spec: RunSpec,
  more: ProtectedArea[],
  path: string,
  env: Record<string, string>,
): Protection {
  const { project, settings, start } = spec
  const areas = [{ root: project, globs: [...ALWAYS, ...settings.protect] }, ...more]
  if (start) areas.push({ root: start.dirs.common, globs: ['hooks'] })
  const file = join(start?.dirs.common ?? '', 'config')
  const tool = (args: string[]) => git(project, env, ['config', '--file', file, ...args])
  return protection({
    project,
    areas,
    config: start && { path: file, tool },
    path,
    write: (path, text) => replaceFile(path, text, 0o600),
  })
}

/** Warnings about the patterns of `protect`, before the first iteration. Throws a UsageError if one takes too long. */
export function protectNotes(project: string, patterns: readonly string[]): string[] {
  try {
    const { unmatched, files } = surveyPatterns(project, patterns)
    const notes = unmatched.map(
      pattern =>
        `${quote(pattern)} matches no file; correct it, or keep it if agents must not add such files`,
    )
    if (files > MAX_FILES)
      notes.push(`${files} files match, and only ${MAX_FILES} can be protected; narrow the patterns`)
    return notes
  } catch (error) {
    if (error instanceof CannotGoOn) throw new UsageError(error.message)
    throw error
  }
}
