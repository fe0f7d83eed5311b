import type { RunEvent, Settled } from '../../core/events.ts'
import { CannotGoOn } from '../../core/ports.ts'
import type { Intent, StepId } from '../../core/table.ts'
import type { TaskId } from '../../core/task.ts'
import type { Committed } from './commit-file.ts'

type Record = (event: RunEvent) => void

export type StoryGit = {
  /** Writes a file and commits it. */
  commit(file: {
    path: string
    message: string
    intent: Intent | undefined
    intend(parent: string | null): void
    write(): void
  }): Promise<Committed>
  /** Where git keeps an approval of this story; null: nowhere. */
  keptApproval(story: TaskId): Promise<string | null>
}

/** Has git keep the story file as the truth has it. `write`: writes that into the file. */
export function storyCommits({ commit, keptApproval }: StoryGit, path: string, write: () => void) {
  /** Why the file was left uncommitted, as far as it was told. */
  const whyLeft = new Set<string>()
  const now = () => Date.now()
  const made = (id: StepId, { from, to }: { from: string | null; to: string }): RunEvent => ({
    type: 'committed',
    at: now(),
    id,
    by: 'ralph',
    from,
    to,
  })

  return {
    /** After an iteration. `how` tells people what became of what its agent had written. */
    async keep(
      { id, task }: Settled,
      how: 'restore' | 'record',
      intent: Intent | undefined,
      record: Record,
    ): Promise<void> {
      const message = intent?.message ?? `ralph: ${how} ${path} (${task})`
      const intend = (parent: string | null) => record({ type: 'committing', at: now(), id, parent, message })
      const done = await commit({ path, message, intent, intend, write })
      if (done.type === 'made') record(made(id, done))
      if (done.type === 'failed' && !whyLeft.has(done.why)) {
        whyLeft.add(done.why)
        record({ type: 'warned', at: now(), note: `${path} is left uncommitted: ${done.why}` })
      }
    },

    /** Before a review: an approval that git keeps, whoever put it there, must not be at hand to be brought back. */
    async clearApproval(story: TaskId, id: StepId, record: Record): Promise<void> {
      if ((await keptApproval(story)) === null) return
      const message = `ralph: restore ${path} (${story})`
      const done = await commit({ path, message, intent: undefined, intend() {}, write })
      if (done.type === 'made') record(made(id, done))
      const place = await keptApproval(story)
      if (place === null) return
      const why = done.type === 'made' ? 'it changed again at once' : done.why
      throw new CannotGoOn(
        `${place} has ${path} with ${story} approved, which no review did, and the next one could bring that back; what the file itself says is not committed: ${why}. Commit it, then: ralph resume`,
      )
    },
  }
}
