import { plural } from '../core/format.ts'
import { recordEnd } from '../git/end-snapshot.ts'
import { keepDirty } from '../git/kept-files.ts'
import { LEFT } from '../runs/past-run.ts'
import { writeNote } from '../store/notes.ts'
import { gitEnvironment, type RunSpec } from '../workflows/spec.ts'

const NAMED = 3

/** Copies the user's uncommitted files for `ralph undo`. Returns a line about those that could not be kept. */
export function keepDirtyFiles({ start }: RunSpec, runDir: string): string[] {
  if (!start) return []
  const missing = keepDirty(start, runDir)
  if (missing.length === 0) return []
  const named = missing.slice(0, NAMED).join(', ')
  const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : ''
  return [
    `${plural(missing.length, 'uncommitted file')} not kept (too large, too many, or a repository), so that ralph undo could not put back: ${named}${more}`,
  ]
}

/** Notes the repository as the run leaves it, so that later changes do not count as the run's. */
export async function noteEndState(
  { start, settings }: RunSpec,
  runDir: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const left = start && (await recordEnd(start, gitEnvironment(settings, env)))
  if (left) writeNote(runDir, LEFT, left)
}
