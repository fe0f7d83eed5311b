import type { Finding } from '../core/events.ts'
import { listPaths } from '../core/format.ts'
import type { RunState } from '../core/table.ts'
import type { ReadText } from './rules/behind-check.ts'
import type { FileChange } from './rules/skips.ts'
import { changedUnread, fewerTests, isWatched, weakenedBy, weakenedFinding } from './rules/weakened.ts'

/** How to compare the files of a repository with the start of the run. Paths are relative to its top folder. */
type TestFiles = {
  /** Every path that changed since the run began, or null if git cannot tell. */
  touched(): Promise<ReadonlySet<string> | null>
  /** The texts at the start: null for a file that did not exist, undefined if it is unknown. It is null if git fails. */
  atStart(paths: readonly string[]): Promise<ReadonlyMap<string, string | null | undefined> | null>
}

type TestWatchOptions = {
  testChanges: 'claim' | 'fail' | 'allow'
  /** The folder that checks run in, relative to the repository. */
  folder: string
  /** The text of a file now, or null if it cannot be read. Then no check can use it either. */
  read: ReadText
  /** null outside git: then only the counts of the checks are compared. */
  files: TestFiles | null
  /** Tells people what is no doubt. */
  warn(note: string): void
}

/** Finds out whether the tests are weaker than when the run began, once the checks have run. */
export function watchTests({ testChanges, folder, read, files, warn }: TestWatchOptions) {
  const named = new Set<string>()
  return async ({ countsBefore }: RunState, findings: readonly Finding[]): Promise<Finding[]> => {
    if (testChanges === 'allow') return []
    const commands = findings.map(({ check }) => check)
    const lines = fewerTests(findings, countsBefore, folder, read)
    if (files) {
      const changes = await changesIn(files, path => isWatched(path, { commands }), read)
      if (changes) lines.unshift(...weakenedBy(changes, { commands, folder }, read))
      const unread = changedUnread(changes ?? []).filter(path => !named.has(path))
      for (const path of unread) named.add(path)
      if (unread.length > 0) warn(unreadNote(unread))
      if (!changes) lines.push('git cannot show the tests as they were when the run began')
    }
    return lines.length === 0 ? [] : [weakenedFinding(lines, testChanges)]
  }
}

const unreadNote = (paths: readonly string[]): string =>
  `changed since the run began: ${listPaths(paths)}; ralph cannot tell whether these tests are weaker, as it does not read their language`

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
