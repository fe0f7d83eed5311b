import { join, resolve } from 'node:path'
import { fold } from '../../../core/evolve.ts'
import { latestMatching, ralphHome, type StoredRun } from '../../../runs/find.ts'
import { isLive } from '../../../runs/steer.ts'
import { textAt } from '../../../store/files/regular-file.ts'
import { keepBroken } from '../../../store/list-file.ts'
import { readNote } from '../../../store/notes.ts'
import { isOf } from '../../../workflows/index.ts'
import { GUARD_NOTE } from '../../../workflows/stories/open.ts'
import { storyFilePath } from '../../../workflows/stories/story-file-path.ts'
import { syncStoryFile } from '../../../workflows/stories/story-file-sync.ts'
import { storiesWorkflow } from '../../../workflows/stories/workflow.ts'

/**
 * A run that was cut off within an iteration leaves what its agent wrote (or within the checks before the first, what
 * they wrote), and nobody judged it. Whoever begins anew instead of going on must not take it for a person's word: the
 * stories are put where that run had them.
 */
export function mendStories(project: string, dir: string): string | null {
  const run = latestStories(project, dir)
  if (!run || isLive(run) || !isCutOff(run)) return null
  const spec = storiesWorkflow.readSpec(run.began.pins)
  const path = join(project, dir, 'tasks.json')
  const place = () => resolve(project, storyFilePath(project, { ...spec, dir }))
  const found = textAt(path)
  const rules = { ...spec.review, verifyCommands: spec.file.verifyCommands ?? [] }
  const keeper = syncStoryFile(
    { path, writePath: place },
    spec.file,
    storiesWorkflow.table(spec),
    rules,
    () => fold(run.events),
  )
  if (!keeper.isStale()) return null
  const kept = found === null ? '' : `; what was there is kept as ${keepBroken(path, found)}`
  keeper.write()
  return `run ${run.id} was cut off, and nobody judged what was written since: ${dir}/tasks.json is as that run had it${kept}`
}

/** The last story loop on a folder, finished or not. */
export const latestStories = (project: string, dir: string): StoredRun | null =>
  latestMatching(
    ralphHome(process.env),
    project,
    run => isOf(storiesWorkflow, run) && run.began.pins.dir === dir,
  )

export const isCutOff = ({ events, dir }: StoredRun): boolean => {
  if (events.some(event => event.type === 'undone')) return false
  const { flight, unapplied } = fold(events).state
  return Object.keys(flight).length + Object.keys(unapplied).length > 0 || readNote(dir, GUARD_NOTE) !== null
}
