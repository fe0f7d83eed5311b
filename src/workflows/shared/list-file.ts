import { relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { RunEvent } from '../../core/events.ts'
import { evolve, evolveList, type Folded } from '../../core/evolve.ts'
import { parseJson } from '../../core/json.ts'
import { initial } from '../../core/table.ts'
import type { Edit } from '../../core/task.ts'
import { forceReplaceFile, keepBroken, readOrMove } from '../../store/files/inside.ts'
import type { PinnedFolder } from '../../store/files/pinned.ts'
import { LIMITS, textAt } from '../../store/files/read.ts'

/** Where a list file is, and the folder that ralph must not leave when it writes it. */
export type ListPlace = { root: PinnedFolder; path: string; writePath(): string }

/** How a workflow keeps the list of a run in a file. Agents and people may edit the file. */
export type ListFormat<List> = {
  place: ListPlace
  /** Reads parsed JSON as a list, or says what is wrong with it. */
  read(json: unknown): { list: List } | { errors: string[] }
  /** The list that belongs to a state of the run. What `found` has beyond that stays. Null while the run has no list. */
  project(run: Folded, found: List): List | null
  /** The sentences to say if somebody removed the file. */
  ifGone: readonly string[]
  /** After these events the file on the disk surely shows the state that they lead to. */
  surelyAfter: readonly RunEvent['type'][]
  /** All events recorded so far. */
  journal(): readonly RunEvent[]
  run(): Folded
}

/** The list file of one run. */
export type ListFile<List> = ListFormat<List> & {
  /** The last valid list. It is put back if somebody breaks the file. */
  lastValid: List
  /** The state of the run that ralph last wrote. Null if an earlier process wrote the file. */
  written: Folded | null
}

/** What somebody changed in a list, and sentences about what was not accepted. */
export type ListChange = { edit: Extract<RunEvent, { type: 'edited' }> | null; refused: string[] }

type Found<List> = { json: unknown; list: List }

/** After these events an agent or people may edit the file. */
export const HANDED_OVER: readonly RunEvent['type'][] = ['began', 'started', 'applied', 'stopped', 'finished']

/** The list in the file. Null if it is not valid. */
export function listAt<List>(file: ListFile<List>): Found<List> | null {
  const text = textAt(file.place.path, { limit: LIMITS.text })
  const found = text === null ? null : parse(file, text)
  return found && 'list' in found ? found : null
}

/** What the change that somebody made in the file means. `interpret` compares the list with the one that they changed. */
export function readChange<List>(
  file: ListFile<List>,
  by: 'person' | 'agent',
  at: number,
  interpret: (found: List, written: Folded) => { edit: Edit; refused: string[] },
): ListChange {
  const found = readOrKeep(file)
  if (found === null) return { edit: null, refused: [...file.ifGone] }
  if ('error' in found) return { edit: null, refused: [found.error] }
  const { edit, refused } = interpret(found.list, file.written ?? lastWritten(file, found))
  return { edit: Object.keys(edit).length > 0 ? { type: 'edited', at, by, ...edit } : null, refused }
}

/** Whether the file differs from the run's state. If not, a later difference is somebody's edit. */
export function isStale<List>(file: ListFile<List>, found = listAt(file)): boolean {
  const now = stateNow(file)
  const isThere = found !== null && shows(file, found, now)
  if (isThere) file.written = now
  return !isThere
}

/** Writes the run's state into the file, unless it is already there. A later difference is somebody's edit. */
export function writeList<List>(file: ListFile<List>, replace = forceReplaceFile): void {
  const found = listAt(file)
  if (!isStale(file, found)) return
  const now = stateNow(file)
  const list = file.project(now, found?.list ?? file.lastValid)
  if (list === null) return
  replace(file.place.root, file.place.writePath(), `${JSON.stringify(list, null, 2)}\n`)
  file.lastValid = list
  file.written = now
}

/** What is in the file. Null if it is gone, or empty after a power cut. What is not valid is kept beside it. */
function readOrKeep<List>(file: ListFile<List>): Found<List> | { error: string } | null {
  const { root, path } = file.place
  const bytes = readOrMove(root, path)
  if (bytes === null) return null
  const unusable = (why: string, kept: string) => ({
    error: `tasks.json could not be used (${why.replace(/\.$/, '')}). It is put back. What was there is kept as ${relative(root.path, kept)}.`,
  })
  if (!Buffer.isBuffer(bytes)) return unusable(bytes.unusable, bytes.kept)
  if (bytes.length === 0) return null
  const found = parse(file, bytes.toString())
  if ('errors' in found) return unusable(found.errors[0]!, keepBroken(root, path, bytes.toString()))
  file.lastValid = found.list
  return found
}

function parse<List>(file: ListFile<List>, text: string): Found<List> | { errors: string[] } {
  try {
    const json = parseJson(text)
    const read = file.read(json)
    return 'list' in read ? { json, list: read.list } : read
  } catch (error) {
    return { errors: [`it is not valid JSON: ${(error as Error).message}`] }
  }
}

/** Whether the file is as ralph writes it for this state of the run. Only its meaning counts: others may format it. */
const shows = <List>(file: ListFile<List>, { json, list }: Found<List>, run: Folded): boolean =>
  isDeepStrictEqual(json, file.project(run, list))

/**
 * The latest state that explains the file. If somebody edited it, this is the state that they surely saw. A crash may
 * have come before or after a state was written, so the file may show any state since the last sure one.
 */
function lastWritten<List>(file: ListFile<List>, found: Found<List>): Folded {
  const past = file.journal()
  const states: Folded[] = []
  let given: Folded | undefined
  let current: Folded = { tasks: [], state: initial }
  const from = surelyShown(past, file.surelyAfter)
  for (const [index, event] of past.entries()) {
    current = { tasks: evolveList(current.tasks, event), state: evolve(current.state, event) }
    if (index < from) continue
    states.push(current)
    if (index === from || HANDED_OVER.includes(event.type)) given = current
  }
  states.push(stateNow(file))
  return states.findLast(one => shows(file, found, one)) ?? given ?? stateNow(file)
}

/** The engine changes the object that `run` gives; this one stays as it is. */
function stateNow<List>(file: ListFile<List>): Folded {
  const { tasks, state } = file.run()
  return { tasks, state }
}

/** The event whose state the file surely shows. What a run makes of the file that it begins with is recorded after `began`. */
function surelyShown(past: readonly RunEvent[], types: readonly RunEvent['type'][]): number {
  let index = past.findLastIndex(event => types.includes(event.type))
  if (past[index]?.type === 'began') while (past[index + 1]?.type === 'edited') index++
  return index
}
