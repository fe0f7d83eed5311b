import { plural } from '../core/format.ts'
import { keepDirty } from '../git/keep.ts'
import { recordLeft } from '../git/left.ts'
import { LEFT } from '../runs/past-run.ts'
import { writeNote } from '../store/notes.ts'
import { gitEnvironment, type RunSpec } from '../workflows/spec.ts'

const NAMED = 3

/** Keeps what the user had not committed, for `ralph undo`. Gives one line about what could not be kept. */
export function keepWhatIsDirty({ start }: RunSpec, runDir: string): string[] {
  if (!start) return []
  const missing = keepDirty(start, runDir)
  if (missing.length === 0) return []
  const named = missing.slice(0, NAMED).join(', ')
  const more = missing.length > NAMED ? ` and ${missing.length - NAMED} more` : ''
  return [
    `${plural(missing.length, 'uncommitted file')} not kept (too large, too many, or a repository), so that ralph undo could not put back: ${named}${more}`,
  ]
}

/** Notes how the run leaves the repository, so that what is changed afterwards is not taken for its own. */
export async function noteWhatIsLeft(
  { start, settings }: RunSpec,
  runDir: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const left = start && (await recordLeft(start, gitEnvironment(settings, env)))
  if (left) writeNote(runDir, LEFT, left)
}
