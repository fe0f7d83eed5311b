import { isDeepStrictEqual } from 'node:util'
import type { RunEvent } from '../../core/events.ts'
import { evolve, evolveList, fold } from '../../core/evolve.ts'
import { type StageTable, type TaskState, taskStateOf } from '../../core/table.ts'
import { isSameList, type Task, type TaskId } from '../../core/task.ts'
import { forceReplaceFile } from '../../store/files/inside.ts'
import { reopened } from '../shared/list-edit.ts'
import type { Folded } from '../workflow.ts'
import { type AgentWork, refusals } from './rules/refusals.ts'
import { projectStories, projectStory, storyTask } from './rules/review.ts'
import type { ReviewSnapshot } from './rules/review-rules.ts'
import { agentStoryEdits, personStoryEdits, submittedPart } from './rules/story-edits.ts'
import type { StoriesFile, Story } from './rules/story-file.ts'
import type { StoriesSpec } from './spec.ts'
import type { StoryFilePaths } from './story-file-path.ts'
import { readOrKeepStories, storiesAt } from './story-file-reader.ts'

type Change = { edit: Extract<RunEvent, { type: 'edited' }> | null; refused: string[] }

export interface StoryFileSync {
  /** A story as the run has it, and as the file has it now. */
  beforeAndAfter(id: TaskId): { before: Story | undefined; after: Story | undefined }
  /** The review fields of all stories as the run has them. */
  snapshot(): ReviewSnapshot
  /** Reads what a person changed in the file since ralph wrote it. */
  byPerson(at: number): Change
  /** Reads what an agent changed in the file: what is accepted, and what is not. */
  byAgent(step: AgentStep, room: number, at: number): Change
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
  paths: StoryFilePaths
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
  /** The last valid file, to restore it when an agent breaks it. */
  let lastValid = spec.file
  let notAdded: TaskId[] = []
  /** What ralph last wrote into the file; null: an earlier process did. Requests change the run's state first. */
  let written: Folded | null = null
  const truth = (found: StoriesFile, { tasks, state }: Folded = run()): StoriesFile =>
    projectStories(found, tasks, state, table, { skip, verifyCommands, refused: notAdded })
  /** Whether the file is as ralph writes it for this state of the run. */
  const shows = (found: StoriesFile, folded: Folded) => isDeepStrictEqual(truth(found, folded), found)

  function read(): { found: StoriesFile; errors: string[] } {
    const read = readOrKeepStories(paths)
    if ('error' in read) return { found: lastValid, errors: [read.error] }
    lastValid = read.file
    return { found: lastValid, errors: [] }
  }

  /** The latest state that explains the file; if a person edited it, the one that it surely showed before. */
  function lastWritten(found: StoriesFile): Folded {
    if (shows(found, run())) return run()
    const states = recentStates(journal())
    return states.findLast(one => shows(found, one)) ?? states[0] ?? run()
  }

  function noteWritten(): void {
    const { tasks, state } = run()
    written = { tasks, state }
  }

  function isStale(): boolean {
    const found = storiesAt(paths)
    const isThere = found !== null && shows(found, run())
    if (isThere) noteWritten()
    return !isThere
  }

  return {
    beforeAndAfter(id) {
      const { tasks, state } = run()
      const task = tasks.find(known => known.id === id)
      const found = storiesAt(paths)
      const story = (found ?? lastValid).userStories.find(known => known.id === id)
      return {
        before: task && projectStory(story, task, taskStateOf(table, state, task), { skip }),
        // An invalid file claims nothing, whatever it said before.
        after: found ? story : undefined,
      }
    },
    snapshot: () => truth(lastValid).userStories,
    byPerson(at) {
      const { found, errors } = read()
      if (errors.length > 0) return { edit: null, refused: errors }
      const { tasks, state } = written ?? lastWritten(found)
      const edit = personStoryEdits(found, tasks, state, table, { skip })
      return {
        edit: Object.keys(edit).length > 0 ? { type: 'edited', at, by: 'person', ...edit } : null,
        refused: isSameList(found.verifyCommands ?? [], verifyCommands) ? [] : [COMMANDS_STAY],
      }
    },
    byAgent(step, room, at) {
      const { found, errors } = read()
      const { tasks } = run()
      const illegal =
        errors.length > 0
          ? []
          : refusals({ ...step, found, truth: truth(found), tasks }, { skip, cap, verifyCommands })
      const { list, refused } = agentStoryEdits(found, tasks, room)
      notAdded = refused
      const unwanted = refused.map(id => `Story ${id} was not added: agents may add no more stories.`)
      const part = errors.length === 0 && !skip ? submittedPart(found, tasks, step) : null
      const isAdded = part !== null && !refused.includes(part.id)
      const state = isAdded && step.isGreen ? { [part.id]: inReview(table, storyTask(part)) } : null
      const early =
        isAdded && !step.isGreen ? [`Story ${part.id} was not submitted for review: ${NOT_GREEN}`] : []
      return {
        edit: list ? { type: 'edited', at, by: 'agent', list, ...(state && { state }) } : null,
        refused: [...errors, ...illegal, ...unwanted, ...early],
      }
    },
    isStale,
    write() {
      if (!isStale()) return
      lastValid = truth(storiesAt(paths) ?? lastValid)
      const bytes = Buffer.from(`${JSON.stringify(lastValid, null, 2)}\n`)
      forceReplaceFile(paths.root, paths.writePath(), bytes)
      noteWritten()
    },
  }
}

const NOT_GREEN = 'not all checks passed after its iteration. Finish it, then submit it.'

const inReview = (table: StageTable, task: Task): TaskState => ({ ...reopened(table, task), stage: 'review' })

const COMMANDS_STAY =
  'verifyCommands was changed, and is put back: this run keeps the commands that it began with. Change them when it has ended.'

/** After these events the file shows the state that they lead to, or an agent has it. */
const SHOWN: readonly RunEvent['type'][] = ['began', 'started', 'applied', 'stopped', 'finished']

/** The state that the file surely showed, and every later one, since a crash may have come before or after it was written. */
function recentStates(past: readonly RunEvent[]): Folded[] {
  let from = past.findLastIndex(event => SHOWN.includes(event.type)) + 1
  if (from === 0) return []
  // What a run makes of the file that it begins with is recorded next.
  if (past[from - 1]?.type === 'began') while (past[from]?.type === 'edited') from++
  let current: Folded = fold(past.slice(0, from))
  const states = [current]
  for (const event of past.slice(from)) {
    current = { tasks: evolveList(current.tasks, event), state: evolve(current.state, event) }
    if (event.type === 'edited') states.push(current)
  }
  return states
}
