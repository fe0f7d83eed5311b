import { REVIEW, type RunState, type StageTable, taskStateOf } from '../../../core/table.ts'
import type { Edit, Task, TaskId } from '../../../core/task.ts'
import { doneByPerson, reopened, unknownTask } from '../../shared/list-edit.ts'

/** A person's decision about a story. It may come at any time. */
export type StoryRequest = { action: 'approve' | 'reject'; story: TaskId; why?: string }

function isStoryRequest(value: unknown): value is StoryRequest {
  const { action, story, why } = (value ?? {}) as Record<string, unknown>
  return (
    (action === 'approve' || action === 'reject') &&
    typeof story === 'string' &&
    (why === undefined || typeof why === 'string')
  )
}

const NO_REASON = 'A person sent this story back, and gave no reason.'

/** The edit that a decision means now, or an error. Anybody may have written the request, so it is validated. */
export function storyEdit(
  tasks: readonly Task[],
  state: RunState,
  table: StageTable,
  { skip }: { skip: boolean },
  request: unknown,
): Edit | { error: string } {
  if (!isStoryRequest(request)) return { error: 'the request could not be read' }
  const task = tasks.find(({ id }) => id === request.story)
  if (!task) return { error: unknownTask('story', request.story, tasks) }
  const current = taskStateOf(table, state, task)
  const why = request.why?.trim()
  if (request.action === 'approve') {
    if (current.stage === 'done' && current.why === '') return { error: `${task.id} is approved already` }
    const done = doneByPerson({ ...reopened(table, task), rounds: current.rounds })
    return { state: { [task.id]: { ...done, ...(why && { why: `approved by a person: ${why}` }) } } }
  }
  // A closed story starts its count of reviews again, as when a person edits the file.
  const isClosed = current.stage === 'done' || current.stage === 'blocked'
  const known = current.lastRed.length > 0 && !why ? current.lastRed : null
  return {
    state: {
      [task.id]: {
        ...reopened(table, task),
        stage: skip ? 'implement' : 'fix',
        rounds: isClosed ? 0 : current.rounds,
        lastRed: known ?? [{ check: REVIEW, verdict: 'fail', note: why || NO_REASON, claim: true }],
      },
    },
  }
}
