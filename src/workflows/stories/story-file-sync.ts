import type { RunEvent } from '../../core/events.ts'
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
import type { StoryFilePaths } from './story-file-path.ts'

type Change = { edit: Extract<RunEvent, { type: 'edited' }> | null; refused: string[] }

export interface StoryFileSync {
  /** A story as the run has it, and as the file has it now. */
  beforeAndAfter(id: TaskId): { before: Story | undefined; after: Story | undefined }
  /** The review fields of all stories as the run has them. */
  snapshot(): ReviewSnapshot
  /** Reads what a person changed in the file. */
  byPerson(at: number): Change
  /** Reads what an agent changed in the file: what is accepted, and what is not. */
  byAgent(step: AgentStep, room: number, at: number): Change
  /** Whether the file differs from the run's state. */
  isStale(): boolean
  /** Writes the run's state into the file, unless it is already there. */
  write(): void
}

type AgentStep = Pick<AgentWork, 'mode' | 'story' | 'hasFinished' | 'before'>

export type StoryRules = { skip: boolean; cap: number; verifyCommands: string[] }

/** Keeps the story file and the run in step. Agents and people edit the file; ralph owns the fields for "done". */
export function syncStoryFile(
  { root, path, writePath }: StoryFilePaths,
  first: StoriesFile,
  table: StageTable,
  { skip, cap, verifyCommands }: StoryRules,
  run: () => Folded,
): StoryFileSync {
  /** The last valid file, to restore it when an agent breaks it. */
  let lastValid = first
  let notAdded: TaskId[] = []
  const truth = (found: StoriesFile): StoriesFile => {
    const { tasks, state } = run()
    return projectStories(found, tasks, state, table, { skip, verifyCommands, refused: notAdded })
  }

  /** The file to write; null if the file can stay exactly as it is. */
  const pendingWrite = (): StoriesFile | null => {
    const { found, isValid } = readOr(path, lastValid)
    const wanted = truth(found)
    return isValid && JSON.stringify(wanted) === JSON.stringify(found) ? null : wanted
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
      const { tasks, state } = run()
      const edit = personStoryEdits(found, tasks, state, table, { skip })
      return {
        edit: Object.keys(edit).length > 0 ? { type: 'edited', at, by: 'person', ...edit } : null,
        refused: [],
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
      if (!wanted) return
      forceReplaceFile(root, writePath(), `${JSON.stringify(wanted, null, 2)}\n`)
      lastValid = wanted
    },
  }
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
