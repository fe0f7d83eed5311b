import type { RunEvent, Settled } from '../../core/events.ts'
import { CannotGoOn } from '../../core/ports.ts'
import { COMMIT, type Intent, type RunState, type StepId } from '../../core/table.ts'
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
export function storyCommits(
  { commit, findApproval }: StoryGit,
  path: string,
  { write, doubts }: { write(): void; doubts(): RunState['doubts'] },
) {
  /** An earlier commit of the file failed. */
  const isUncommitted = () => doubts()['']?.some(({ check }) => check === COMMIT) ?? false
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
    isUncommitted,

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
      const why = done.type === 'failed' ? `${path} is left uncommitted: ${done.why}` : null
      if (why !== null || isUncommitted()) record({ type: 'doubted', at: now(), id, check: COMMIT, why })
      if (why !== null && !warnedReasons.has(why)) {
        warnedReasons.add(why)
        record({ type: 'warned', at: now(), note: why })
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
