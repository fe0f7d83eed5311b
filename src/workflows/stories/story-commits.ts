import type { RunEvent, Settled } from '../../core/events.ts'
import { COMMIT, type Intent, type RunState, type StepId } from '../../core/table.ts'
import type { Recorder } from '../workflow.ts'
import type { Committed } from './commit-file.ts'

/** Writes the story file and commits it. */
export type CommitStories = (file: {
  message: string
  intent: Intent | undefined
  intend(parent: string | null): void
  write(): void
}) => Promise<Committed>

/** Commits the story file. `write` writes the run's state into it. */
export function storyCommits(
  commit: CommitStories,
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
      const done = await commit({ message, intent, intend, write })
      if (done.type === 'made') record(committedEvent(id, done))
      const why = done.type === 'failed' ? `${path} is left uncommitted: ${done.why}` : null
      if (why !== null || isUncommitted()) record({ type: 'doubted', at: now(), id, check: COMMIT, why })
      if (why !== null && !warnedReasons.has(why)) {
        warnedReasons.add(why)
        record({ type: 'warned', at: now(), note: why })
      }
    },
  }
}
