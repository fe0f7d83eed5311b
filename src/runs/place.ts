import { readdirSync } from 'node:fs'
import type { RunEvent } from '../core/events.ts'
import { UsageError } from '../core/usage-error.ts'
import { isSameRepository } from '../git/start.ts'
import { kindAt } from '../store/files/inside.ts'
import { bornAt, idAt } from '../store/files/pinned.ts'
import { sessionDir } from '../store/session.ts'
import { gitEnvironment, movePins, readBase } from '../workflows/spec.ts'
import type { StoredRun } from './find.ts'

// Where the project of a run is. People move projects: the same folder is elsewhere then, or a copy of it on another disk.

/** The run with its project in this folder: its first event has the paths that it would have if it had begun there. */
function placeAt(run: StoredRun, project: string): StoredRun {
  const { began } = run
  if (began.project === project) return run
  const moved = { ...began, project, pins: movePins(began.pins, began.project, project) }
  return { ...run, began: moved, events: [moved, ...run.events.slice(1)] }
}

/** The run where it was last at work. */
export function placeOnRecord(run: StoredRun): StoredRun {
  const isPlaced = (event: RunEvent) => event.type === 'resumed' && event.project !== undefined
  const last = run.events.findLast(isPlaced) as StoredRun['last'] | undefined
  return last ? { ...placeAt(run, last.project), last } : run
}

/**
 * The run where its project is: where it was last at work, or, if that is no longer its project, in this folder; null if
 * that is not its project either.
 */
export function locate(run: StoredRun, folder: string): StoredRun | null {
  const places = [run.last.project, folder]
  const place =
    places.find(path => isSameFolder(run, path)) ?? places.find(path => hasSession(run.id, path)) ?? null
  return place === null ? null : placeAt(run, place)
}

function isSameFolder({ last: { project, folder, born } }: StoredRun, path: string): boolean {
  const found = idAt(path)
  if (found === null || folder === undefined) return found !== null && path === project
  return found === folder && (born === undefined || born === bornAt(path))
}

/** A copy of the whole folder has the session too; a clone of the repository, for example, does not. */
export const hasSession = (id: string, project: string): boolean =>
  // What people type as the name of a run may be a path, such as a dot.
  /^[\w-]+$/.test(id) && kindAt(sessionDir(project, id)) === 'folder'

/** Refuses a run whose worktree is gone. Its session is in the project, which is no other place of the run. */
export function requireWorktree({ id, began, last }: StoredRun): void {
  const { sessions } = readBase(began.pins)
  if (sessions !== undefined && idAt(last.project) === null)
    throw new UsageError(
      `the worktree of run ${id} is gone: ${last.project}; if its branch is left, git has what it changed`,
    )
}

/** Refuses to work on the files of a run if the folder is not, or no longer, its project. */
export async function requireProject(run: StoredRun, env: NodeJS.ProcessEnv): Promise<void> {
  const { id, began } = run
  const { project } = began
  requireWorktree(run)
  if (idAt(project) === null)
    throw new UsageError(`the project of run ${id} is gone: ${project}; if it was moved, name it with -C`)
  if (!locate(run, project))
    throw new UsageError(
      `${project} is not the folder that run ${id} was in, but another at the same path; if that was moved, name it with -C`,
    )
  const { start, settings } = readBase(began.pins)
  const entries = readdirSync(project).filter(name => name !== '.ralph' || start === null)
  if (entries.length === 0) throw new UsageError(`the project of run ${id} is gone: ${project} is empty`)
  if (start && !(await isSameRepository(start, gitEnvironment(settings, env))))
    throw new UsageError(
      `${start.root} does not have the repository that run ${id} was in; put it back, or start a new run`,
    )
}
