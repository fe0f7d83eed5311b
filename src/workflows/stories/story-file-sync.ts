import type { RunEvent } from '../../core/events.ts'
import type { StageTable } from '../../core/table.ts'
import type { TaskId } from '../../core/task.ts'
import { putFile, textAt } from '../../store/files/put-file.ts'
import { keepBroken } from '../../store/list-file.ts'
import type { Folded } from '../workflow.ts'
import { refusals, type Written } from './rules/refusals.ts'
import { projectStories } from './rules/review.ts'
import { type Snapshot, snapshotOf } from './rules/review-rules.ts'
import { agentStoryEdits, personStoryEdits } from './rules/story-edits.ts'
import { parseJson, readUnnoted, type StoriesFile, type Story } from './rules/story-file.ts'

type Change = { edit: Extract<RunEvent, { type: 'edited' }> | null; refused: string[] }

export interface StoryKeeper {
  /** A story as the truth has it, and as the file has it now. */
  both(id: TaskId): { before: Story | undefined; after: Story | undefined }
  /** The review fields of all stories as the truth has them. */
  snapshot(): Snapshot
  byPerson(at: number): Change
  /** What an agent made of the file: what counts of it, and what does not. */
  byAgent(by: ByAgent, room: number, at: number): Change
  /** Whether the file says anything else than the truth. */
  isStale(): boolean
  /** Writes the truth over the file, unless it is there already. */
  write(): void
}

type ByAgent = Pick<Written, 'mode' | 'story' | 'isOver' | 'before'>

export type StoryRules = { skip: boolean; cap: number; verifyCommands: string[] }

/** Keeps the story file: agents and people write in it, ralph owns what says that a story is done. */
export function keepStories(
  /** The file, and where to write it. */
  { path, place }: { path: string; place(): string },
  first: StoriesFile,
  workflow: StageTable,
  { skip, cap, verifyCommands }: StoryRules,
  run: () => Folded,
): StoryKeeper {
  /** The file as it was last whole: what an agent breaks is put back from it. */
  let good = first
  let turnedAway: TaskId[] = []
  const truth = (found: StoriesFile): StoriesFile => {
    const { tasks, state } = run()
    return projectStories(found, tasks, state, workflow, { skip, verifyCommands, refused: turnedAway })
  }

  /** null: the file may stay as it is, down to the last blank. */
  const due = (): StoriesFile | null => {
    const { found, isWhole } = peek(path, good)
    const wanted = truth(found)
    return isWhole && JSON.stringify(wanted) === JSON.stringify(found) ? null : wanted
  }

  function read(): { found: StoriesFile; isWhole: boolean; errors: string[] } {
    const text = textAt(path)
    const parsed = text === null ? { errors: ['tasks.json was removed.'] } : parse(text)
    if ('file' in parsed) {
      good = parsed.file
      return { found: good, isWhole: true, errors: [] }
    }
    const kept = text === null ? '' : ` What was there is kept as ${keepBroken(path, text)}.`
    return { found: good, isWhole: false, errors: [`${parsed.errors[0]} It is put back.${kept}`] }
  }

  return {
    both(id) {
      const { found, isWhole } = peek(path, good)
      const one = (file: StoriesFile) => file.userStories.find(story => story.id === id)
      // A file that makes no sense says nothing, whatever it said before.
      return { before: one(truth(found)), after: isWhole ? one(found) : undefined }
    },
    snapshot: () => snapshotOf(truth(good)),
    byPerson(at) {
      const { found, errors } = read()
      if (errors.length > 0) return { edit: null, refused: errors }
      const { tasks, state } = run()
      const edit = personStoryEdits(found, tasks, state, workflow, { skip })
      return {
        edit: Object.keys(edit).length > 0 ? { type: 'edited', at, by: 'person', ...edit } : null,
        refused: [],
      }
    },
    byAgent(by, room, at) {
      const { found, isWhole, errors } = read()
      const { tasks } = run()
      const illegal = isWhole
        ? refusals({ ...by, found, truth: truth(found), tasks }, { skip, cap, verifyCommands })
        : []
      const { list, refused } = agentStoryEdits(found, tasks, room)
      turnedAway = refused
      const unwanted = refused.map(id => `Story ${id} was not added: agents may add no more stories.`)
      return {
        edit: list ? { type: 'edited', at, by: 'agent', list } : null,
        refused: [...errors, ...illegal, ...unwanted],
      }
    },
    isStale: () => due() !== null,
    write() {
      const wanted = due()
      if (!wanted) return
      putFile(place(), `${JSON.stringify(wanted, null, 2)}\n`)
      good = wanted
    },
  }
}

/** The file as it is, or what it was when it last made sense. */
function peek(path: string, good: StoriesFile): { found: StoriesFile; isWhole: boolean } {
  const text = textAt(path)
  const parsed = text === null ? null : parse(text)
  return parsed && 'file' in parsed ? { found: parsed.file, isWhole: true } : { found: good, isWhole: false }
}

export function parse(text: string): { file: StoriesFile } | { errors: string[] } {
  try {
    return readUnnoted(parseJson(text))
  } catch (error) {
    return { errors: [`tasks.json is no JSON: ${(error as Error).message}.`] }
  }
}
