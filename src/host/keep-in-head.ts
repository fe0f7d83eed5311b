import { relative, resolve } from 'node:path'
import { listPaths } from '../core/format.ts'
import { COMMIT, type StepId } from '../core/table.ts'
import { type Head, restoreEntries } from '../git/commit/restore-entries.ts'
import { readHead } from '../git/head.ts'
import type { LockWait } from '../git/locks/lasting.ts'
import type { Recorder } from '../workflows/workflow.ts'
import type { WorkspaceOptions } from './workspace.ts'

/** Protected paths, relative to the root of the repository, and HEAD before the agent that changed them. */
type Owed = { before: Head; paths: ReadonlySet<string> }

/** An agent may have committed its change of a protected file: what is put back in the tree is put back in HEAD too. */
export function keepInHead(
  { spec: { project, start }, env, runDir, commitBefore }: WorkspaceOptions,
  lockWait: () => LockWait,
) {
  let before: Head = { commit: commitBefore ?? start?.head ?? null, branch: start?.branch ?? null }
  /** What could not be committed is tried again after the next step. */
  let owed: Owed[] = []
  return {
    /** Before an agent starts. */
    begin(): void {
      before = (start && readHead(start.dirs)) ?? before
    },
    /** After a step. `paths` were put back during it. Safe to repeat. */
    async restore(paths: readonly string[], id: StepId, record: Recorder): Promise<void> {
      if (!start || paths.length + owed.length === 0) return
      const inRoot = new Set(paths.map(path => relative(start.root, resolve(project, path))))
      const tried = [...owed, { before, paths: inRoot }]
      owed = []
      for (const one of tried) {
        const repository = { start, env, scratch: runDir, locks: lockWait() }
        const done = await restoreEntries(repository, one.before, one.paths)
        const at = Date.now()
        if (done.type === 'made')
          record({ type: 'committed', at, id, by: 'ralph', from: done.from, to: done.to })
        if (done.type !== 'failed') continue
        owed.push(one)
        const why = `protected files are put back, but HEAD has them as they were committed meanwhile: ${listPaths(done.paths)} (${done.why})`
        record({ type: 'warned', at, note: why })
        record({ type: 'doubted', at, id, check: COMMIT, why })
      }
      if (owed.length === 0 && tried.length > 1)
        record({ type: 'doubted', at: Date.now(), id, check: COMMIT, why: null })
    },
  }
}
