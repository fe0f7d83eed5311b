import type { RunEvent } from '../../core/events.ts'
import { evolve, evolveList, fold } from '../../core/evolve.ts'
import { parseJson } from '../../core/json.ts'
import type { StageTable } from '../../core/table.ts'
import type { TaskId } from '../../core/task.ts'
import { keepBroken, readOrMove } from '../../store/broken.ts'
import { forceReplaceFile } from '../../store/files/inside.ts'
import { LIMITS, textAt } from '../../store/files/read.ts'
import type { Folded } from '../workflow.ts'
import { type AgentWork, refusals } from './rules/refusals.ts'
import { projectStories } from './rules/review.ts'
import { type ReviewSnapshot, snapshotOf } from './rules/review-rules.ts'
import { agentStoryEdits, personStoryEdits } from './rules/story-edits.ts'
import { readStoriesWithoutNotes, type StoriesFile, type Story } from './rules/story-file.ts'
import type { StoriesSpec } from './spec.ts'
import type { StoryFilePaths } from './story-file-path.ts'

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
  /** Whether the file differs from the run's state. */
  isStale(): boolean
  /** Writes the run's state into the file, unless it is already there. A later difference is somebody's edit. */
  write(): void
}

type AgentStep = Pick<AgentWork, 'mode' | 'story' | 'hasFinished' | 'before'>

export type StoryFileOptions = {
  paths: StoryFilePaths
  spec: Pick<StoriesSpec, 'file' | 'review'>
  table: StageTable
  /** All events recorded so far. */
  journal(): readonly RunEvent[]
  run(): Folded
}

/** Keeps the story file and the run in step. Agents and people edit the file; ralph owns the fields for "done". */
export function syncStoryFile({
  paths: { root, path, writePath },
  spec: { file: first, review },
  table,
  journal,
  run,
}: StoryFileOptions): StoryFileSync {
  const { skip, cap } = review
  const verifyCommands = first.verifyCommands ?? []
  /** The last valid file, to restore it when an agent breaks it. */
  let lastValid = first
  let notAdded: TaskId[] = []
  /** The state that ralph last wrote into the file; null: an earlier process did. Requests change the run's state first. */
  let written: Folded | null = null
  const project = (found: StoriesFile, { tasks, state }: Folded): StoriesFile =>
    projectStories(found, tasks, state, table, { skip, verifyCommands, refused: notAdded })
  const truth = (found: StoriesFile) => project(found, run())
  const isSame = (found: StoriesFile, wanted: StoriesFile) => JSON.stringify(wanted) === JSON.stringify(found)

  /** The file to write; null if the file can stay exactly as it is. */
  const pendingWrite = (): StoriesFile | null => {
    const { found, isValid } = readOr(path, lastValid)
    const wanted = truth(found)
    return isValid && isSame(found, wanted) ? null : wanted
  }

  function read(): { found: StoriesFile; isValid: boolean; errors: string[] } {
    const there = readOrMove(root, path)
    const parsed = parseFound(there)
    if ('file' in parsed) {
      lastValid = parsed.file
      return { found: lastValid, isValid: true, errors: [] }
    }
    const kept = Buffer.isBuffer(there) ? keepBroken(root, path, there.toString()) : there?.kept
    const where = kept === undefined ? '' : ` What was there is kept as ${kept}.`
    return { found: lastValid, isValid: false, errors: [`${parsed.errors[0]} It is put back.${where}`] }
  }

  /** The latest state that explains the file; if a person edited it, the one that it surely showed before. */
  function lastWritten(found: StoriesFile): Folded {
    const states = recentStates(journal())
    return states.findLast(one => isSame(found, project(found, one))) ?? states[0] ?? run()
  }

  return {
    beforeAndAfter(id) {
      const { found, isValid } = readOr(path, lastValid)
      const storyIn = (file: StoriesFile) => file.userStories.find(story => story.id === id)
      // An invalid file claims nothing, whatever it said before.
      return { before: storyIn(truth(found)), after: isValid ? storyIn(found) : undefined }
    },
    snapshot: () => snapshotOf(truth(lastValid)),
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
      const { found, isValid, errors } = read()
      const { tasks } = run()
      const illegal = isValid
        ? refusals({ ...step, found, truth: truth(found), tasks }, { skip, cap, verifyCommands })
        : []
      const { list, refused } = agentStoryEdits(found, tasks, room)
      notAdded = refused
      const unwanted = refused.map(id => `Story ${id} was not added: agents may add no more stories.`)
      return {
        edit: list ? { type: 'edited', at, by: 'agent', list } : null,
        refused: [...errors, ...illegal, ...unwanted],
      }
    },
    isStale: () => pendingWrite() !== null,
    write() {
      const wanted = pendingWrite()
      if (wanted) {
        forceReplaceFile(root, writePath(), `${JSON.stringify(wanted, null, 2)}\n`)
        lastValid = wanted
      }
      const { tasks, state } = run()
      written = { tasks, state }
    },
  }
}

const COMMANDS_STAY =
  'verifyCommands was changed, and is put back: this run keeps the commands that it began with. Change them when it has ended.'

const isSameList = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((text, index) => text === b[index])

/** After these events the file shows the state that they lead to, or an agent has it. */
const SHOWN: readonly RunEvent['type'][] = ['began', 'started', 'applied', 'stopped', 'finished']

/** The state that the file surely showed, and every later one, since a crash may have come before or after it was written. */
function recentStates(past: readonly RunEvent[]): Folded[] {
  const from = past.findLastIndex(event => SHOWN.includes(event.type)) + 1
  if (from === 0) return []
  let current: Folded = fold(past.slice(0, from))
  const states = [current]
  for (const event of past.slice(from)) {
    current = { tasks: evolveList(current.tasks, event), state: evolve(current.state, event) }
    if (event.type === 'edited') states.push(current)
  }
  return states
}

/** The file as it is, or its last valid version. */
function readOr(path: string, lastValid: StoriesFile): { found: StoriesFile; isValid: boolean } {
  const text = textAt(path, { limit: LIMITS.text })
  const parsed = text === null ? null : parseStories(text)
  return parsed && 'file' in parsed
    ? { found: parsed.file, isValid: true }
    : { found: lastValid, isValid: false }
}

function parseFound(found: ReturnType<typeof readOrMove>): ReturnType<typeof parseStories> {
  if (found === null) return { errors: ['tasks.json was removed.'] }
  if (Buffer.isBuffer(found)) return parseStories(found.toString())
  return { errors: [`tasks.json could not be used (${found.unusable}).`] }
}

export function parseStories(text: string): { file: StoriesFile } | { errors: string[] } {
  try {
    return readStoriesWithoutNotes(parseJson(text))
  } catch (error) {
    return { errors: [`tasks.json is not valid JSON: ${(error as Error).message}.`] }
  }
}
