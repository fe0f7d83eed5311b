import { fold } from '../../../core/evolve.ts'
import { latestMatching, ralphHome, type StoredRun } from '../../../runs/find.ts'
import { isLive } from '../../../runs/live.ts'
import { keepBroken } from '../../../store/files/inside.ts'
import { LIMITS, textAt } from '../../../store/files/read.ts'
import { readMemo } from '../../../store/memos.ts'
import { notesIn } from '../../../workflows/shared/notes.ts'
import { storyNotes } from '../../../workflows/stories/spec.ts'
import { GUARD_MEMO, storyFilePaths, storyLinks } from '../../../workflows/stories/story-file-place.ts'
import { syncStoryFile } from '../../../workflows/stories/story-file-sync.ts'
import { storiesWorkflow } from '../../../workflows/stories/workflow.ts'
import { isOf } from '../../../workflows/traits.ts'

/**
 * If a run was cut off, tasks.json may hold what its agent or a check before the first iteration wrote, and nothing has
 * verified that. A new run would take it for a person's edit, so the stories are restored to the state of the old run.
 * Returns what to say to the user.
 */
export function restoreStories(project: string, dir: string): string | null {
  const run = latestStories(project, dir)
  if (!run || isLive(run) || !isCutOff(run)) return null
  const spec = storiesWorkflow.readSpec(run.began.pins)
  const paths = storyFilePaths(project, { dir, ...storyLinks(project, dir), target: spec.target })
  const found = textAt(paths.path, { limit: LIMITS.text })
  const table = storiesWorkflow.table(spec)
  const journal = () => run.events
  const keeper = syncStoryFile({ paths, spec, table, journal, run: () => fold(run.events) })
  if (!keeper.isStale()) return null
  const kept =
    found === null ? '' : `; what was there is kept as ${keepBroken(paths.root, paths.path, found)}`
  keeper.write()
  return `run ${run.id} was cut off, and what was written since was not verified: ${dir}/tasks.json is back to what that run had${kept}`
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
  const judged = notesIn(storyNotes, events).get('judged') ?? []
  const open = Object.values(flight).filter(({ id }) => !judged.includes(id))
  return open.length + Object.keys(unapplied).length > 0 || readMemo(dir, GUARD_MEMO) !== null
}
