import type { RunEvent, Settled } from '../../core/events.ts'
import { CannotGoOn } from '../../core/ports.ts'
import type { Intent, StepId } from '../../core/table.ts'
import type { TaskId } from '../../core/task.ts'
import type { Recorder } from '../workflow.ts'
import type { Committed } from './commit-file.ts'

export type StoryGit = {
  /** Writes a file and commits it. */
  commit(file: {
    path: string
    message: string
    intent: Intent | undefined
    intend(parent: string | null): void
    write(): void
  }): Promise<Committed>
  /** Where git has an approval of this story; null if it has none. */
  findApproval(story: TaskId): Promise<string | null>
}

/** Commits the story file. `write` writes the run's state into it. */
export function storyCommits({ commit, findApproval }: StoryGit, path: string, write: () => void) {
  /** The reasons for a failed commit that were already reported. */
  const warnedReasons = new Set<string>()
  const now = () => Date.now()
  const committedEvent = (id: StepId, { from, to }: { from: string | null; to: string }): RunEvent => ({
    type: 'committed',
    at: now(),
    id,
    by: 'ralph',
    from,
    to,
  })

  return {
    /** Commits after an iteration. `how` goes into the message: whether ralph restored or only recorded something. */
    async commitAfter(
      { id, task }: Settled,
      how: 'restore' | 'record',
      intent: Intent | undefined,
      record: Recorder,
    ): Promise<void> {
      const message = intent?.message ?? `ralph: ${how} ${path} (${task})`
      const intend = (parent: string | null) => record({ type: 'committing', at: now(), id, parent, message })
      const done = await commit({ path, message, intent, intend, write })
      if (done.type === 'made') record(committedEvent(id, done))
      if (done.type === 'failed' && !warnedReasons.has(done.why)) {
        warnedReasons.add(done.why)
        record({ type: 'warned', at: now(), note: `${path} is left uncommitted: ${done.why}` })
      }
    },

    /** Before a review, removes an approval from HEAD and the index: the review could bring it back with git. */
    async clearApproval(story: TaskId, id: StepId, record: Recorder): Promise<void> {
      if ((await findApproval(story)) === null) return
      const message = `ralph: restore ${path} (${story})`
      const done = await commit({ path, message, intent: undefined, intend() {}, write })
      if (done.type === 'made') record(committedEvent(id, done))
      const location = await findApproval(story)
      if (location === null) return
      const why = done.type === 'made' ? 'it changed again at once' : done.why
      throw new CannotGoOn(
        `${location} has ${path} with ${story} approved, although no review approved it, and the next review could bring that version back; the file as it is now is not committed: ${why}. Commit it, then: ralph resume`,
      )
    },
  }
}
