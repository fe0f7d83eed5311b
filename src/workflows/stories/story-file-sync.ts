import type { RunEvent } from '../../core/events.ts'
import type { Folded } from '../../core/evolve.ts'
import { type StageTable, type TaskState, taskStateOf } from '../../core/table.ts'
import { isSameList, type Task, type TaskId } from '../../core/task.ts'
import { reopened } from '../shared/list-edit.ts'
import {
  HANDED_OVER,
  isStale,
  type ListChange,
  type ListFile,
  type ListPlace,
  listAt,
  readChange,
  writeList,
} from '../shared/list-file.ts'
import { type AgentWork, refusals } from './rules/refusals.ts'
import { projectStories, projectStory, storyTask } from './rules/review.ts'
import type { ReviewSnapshot } from './rules/review-rules.ts'
import { agentStoryEdits, personStoryEdits, submittedPart } from './rules/story-edits.ts'
import { readStoriesWithoutNotes, type StoriesFile, type Story } from './rules/story-file.ts'
import type { StoriesSpec } from './spec.ts'

export interface StoryFileSync {
  /** A story as the run has it, and as the file has it now. */
  beforeAndAfter(id: TaskId): { before: Story | undefined; after: Story | undefined }
  /** The review fields of all stories as the run has them. */
  snapshot(): ReviewSnapshot
  /** Reads what a person changed in the file since ralph wrote it. */
  byPerson(at: number): ListChange
  /** Reads what an agent changed in the file: what is accepted, and what is not. */
  byAgent(step: AgentStep, room: number, at: number): ListChange
  /** Whether the file differs from the run's state. If not, a later difference is somebody's edit. */
  isStale(): boolean
  /** Writes the run's state into the file, unless it is already there. A later difference is somebody's edit. */
  write(): void
}

type AgentStep = Pick<AgentWork, 'mode' | 'story' | 'hasFinished' | 'before'> & {
  /** The agent ended well, and all checks were green after it. */
  isGreen: boolean
}

export type StoryFileOptions = {
  paths: ListPlace
  spec: Pick<StoriesSpec, 'file' | 'review'>
  table: StageTable
  /** All events recorded so far. */
  journal(): readonly RunEvent[]
  run(): Folded
}

/** Keeps the story file and the run in step. Agents and people edit the file; ralph owns the fields for "done". */
export function syncStoryFile({ paths, spec, table, journal, run }: StoryFileOptions): StoryFileSync {
  const { skip, cap } = spec.review
  const verifyCommands = spec.file.verifyCommands ?? []
  let notAdded: TaskId[] = []
  const truth = (found: StoriesFile, { tasks, state }: Folded = run()): StoriesFile =>
    projectStories(found, tasks, state, table, { skip, verifyCommands, refused: notAdded })
  const file: ListFile<StoriesFile> = {
    place: paths,
    read(json) {
      const read = readStoriesWithoutNotes(json)
      return 'file' in read ? { list: read.file } : read
    },
    project: (now, found) => truth(found, now),
    ifGone: ['tasks.json was removed. It is put back.'],
    surelyAfter: HANDED_OVER,
    journal,
    run,
    lastValid: spec.file,
    written: null,
  }

  return {
    beforeAndAfter(id) {
      const { tasks, state } = run()
      const task = tasks.find(known => known.id === id)
      const found = listAt(file)?.list
      const story = (found ?? file.lastValid).userStories.find(known => known.id === id)
      return {
        before: task && projectStory(story, task, taskStateOf(table, state, task), { skip }),
        // An invalid file claims nothing, whatever it said before.
        after: found && story,
      }
    },
    snapshot: () => truth(file.lastValid).userStories,
    byPerson: at =>
      readChange(file, 'person', at, (found, { tasks, state }) => ({
        edit: personStoryEdits(found, tasks, state, table, { skip }),
        refused: isSameList(found.verifyCommands ?? [], verifyCommands) ? [] : [COMMANDS_STAY],
      })),
    byAgent(step, room, at) {
      notAdded = []
      return readChange(file, 'agent', at, found => {
        const { tasks } = run()
        const illegal = refusals(
          { ...step, found, truth: truth(found), tasks },
          { skip, cap, verifyCommands },
        )
        const { list, refused } = agentStoryEdits(found, tasks, room)
        notAdded = refused
        const unwanted = refused.map(id => `Story ${id} was not added: agents may add no more stories.`)
        const part = skip ? null : submittedPart(found, tasks, step)
        const isAdded = part !== null && !refused.includes(part.id)
        const state = isAdded && step.isGreen ? { [part.id]: inReview(table, storyTask(part)) } : null
        const early =
          isAdded && !step.isGreen ? [`Story ${part.id} was not submitted for review: ${NOT_GREEN}`] : []
        return {
          edit: list ? { list, ...(state && { state }) } : {},
          refused: [...illegal, ...unwanted, ...early],
        }
      })
    },
    isStale: () => isStale(file),
    write: () => writeList(file),
  }
}

const NOT_GREEN = 'not all checks passed after its iteration. Finish it, then submit it.'

const inReview = (table: StageTable, task: Task): TaskState => ({ ...reopened(table, task), stage: 'review' })

const COMMANDS_STAY =
  'verifyCommands was changed, and is put back: this run keeps the commands that it began with. Change them when it has ended.'
