import type { Finding } from '../core/events.ts'
import type { RunState } from '../core/table.ts'
import type { ReadText } from './rules/behind-check.ts'
import type { FileChange } from './rules/skips.ts'
import { fewerTests, isWatched, weakenedBy, weakenedFinding } from './rules/weakened.ts'

/** How to compare the files of a repository with the start of the run. Paths are relative to its top folder. */
type TestFiles = {
  /** Every path that changed since the run began; null if nobody can know. */
  touched(): Promise<ReadonlySet<string> | null>
  /** The texts at the start. null: there was none; undefined: it is unknown. The whole is null if git fails. */
  atStart(paths: readonly string[]): Promise<ReadonlyMap<string, string | null | undefined> | null>
}

type TestWatchOptions = {
  testChanges: 'claim' | 'fail' | 'allow'
  /** The folder that checks run in, relative to the repository. */
  folder: string
  /** The text of a file now; null if it cannot be read. Then no check can use it either. */
  read: ReadText
  /** null outside git: then only the counts of the checks are compared. */
  files: TestFiles | null
}

/** Finds out whether the tests are weaker than when the run began, once the checks have run. */
export const watchTests =
  ({ testChanges, folder, read, files }: TestWatchOptions) =>
  async ({ countsBefore }: RunState, findings: readonly Finding[]): Promise<Finding[]> => {
    if (testChanges === 'allow') return []
    const commands = findings.map(({ check }) => check)
    const lines = fewerTests(findings, countsBefore, folder, read)
    if (files) {
      const changes = await changesIn(files, path => isWatched(path, { commands }), read)
      if (changes) lines.unshift(...weakenedBy(changes, { commands, folder }, read))
      else lines.push('git cannot show the tests as they were when the run began')
    }
    return lines.length === 0 ? [] : [weakenedFinding(lines, testChanges)]
  }

/** Files that are as they were, or whose start is unknown, are left out. null if git cannot tell. */
async function changesIn(
  { touched, atStart }: TestFiles,
  isWatched: (path: string) => boolean,
  read: ReadText,
): Promise<FileChange[] | null> {
  const all = await touched()
  const paths = all && [...all].filter(isWatched)
  const before = paths && (paths.length > 0 ? await atStart(paths) : new Map<string, null>())
  return (
    before &&
    paths.flatMap(path => {
      const [was, is] = [before.get(path), read(path)]
      return was === undefined || was === is ? [] : [{ path, before: was, after: is }]
    })
  )
}
