import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { formatBytes, listPaths, plural } from '../core/format.ts'
import { actInside, isFolderInside } from '../store/files/inside.ts'
import { type PinnedFolder, pinFolder } from '../store/files/pinned.ts'
import { heldElsewhere } from '../store/lock.ts'
import { keepReceipt } from '../store/receipts.ts'
import { sessionDir } from '../store/session.ts'
import { type Receipt, receiptOf } from '../view/report/receipt.ts'
import { plainLine } from '../view/text/plain.ts'
import { type Registry, traitsIn } from '../workflows/index.ts'
import { ralphHome, runsIn, type StoredRun, storedRuns } from './find.ts'
import { type Io, say } from './io.ts'
import { isLive } from './live.ts'
import { projectOf } from './project.ts'
import { refuseFromWithinAny } from './within.ts'

export type GcOptions = { projectDir?: string; keep: number; all?: boolean; dryRun?: boolean; yes?: boolean }

/**
 * Deletes old runs, except for their receipts. Of those that can still be resumed, only with `--yes` or if the user agrees.
 * `agrees`: asks the user. Null if nobody can be asked.
 */
export async function collectGarbage(
  registry: Registry,
  options: GcOptions,
  { stdout, env }: Io,
  agrees: ((question: string) => Promise<boolean>) | null = null,
): Promise<number> {
  const print = (line: string) => say(stdout, line)
  const home = ralphHome(env)
  if (!options.dryRun) refuseFromWithinAny(home, env, 'delete runs')
  const runs = options.all ? storedRuns(home) : runsIn(home, projectOf(options.projectDir, env))
  const old = beyondNewest(runs, options.keep)
  const over = old.filter(run => isOver(home, run))
  const receiptFor = (run: StoredRun) => receiptOf(run.events, traitsIn(registry, run.began.workflow))
  const resumable = over.filter(run => existsSync(run.began.project) && receiptFor(run).resume !== null)
  const question = `${idsOf(resumable)} ended at a limit and can be resumed. Delete ${resumable.length === 1 ? 'it' : 'them'} too?`
  const withResumable =
    resumable.length === 0 || options.yes || (!options.dryRun && agrees !== null && (await agrees(question)))
  const deleted = withResumable ? over : over.filter(run => !resumable.includes(run))
  let freed = 0
  for (const run of deleted) {
    const session = sessionOf(run)
    const bytes = bytesIn(run.dir) + (session ? bytesIn(session.path) : 0)
    freed += bytes
    print(`  ${run.id}  ${formatBytes(bytes).padStart(8)}  ${plainLine(run.began.project)}`)
    if (options.dryRun) continue
    // The receipt first, because it must not be lost. The run's own folder last: after a crash the next gc finds it.
    keepReceipt(home, run.id, { ...receiptFor(run), resume: null, deleted: true } satisfies Receipt)
    if (session)
      actInside(session.root, session.path, entry => rmSync(entry, { recursive: true, force: true }))
    rmSync(run.dir, { recursive: true, force: true })
  }
  const kept = runs.length - deleted.length
  const unfinished = old.length - over.length
  const verb = options.dryRun ? 'would free' : 'freed'
  print(`${verb} ${formatBytes(freed)} by deleting ${plural(deleted.length, 'run')}, ${kept} kept`)
  if (unfinished > 0)
    print(
      `${plural(unfinished, 'older run')} kept, because ${unfinished === 1 ? 'it is' : 'they are'} not finished`,
    )
  if (!withResumable)
    print(
      `${plural(resumable.length, 'older run')} kept, because ${resumable.length === 1 ? 'it' : 'they'} can be resumed; --yes deletes ${resumable.length === 1 ? 'it' : 'them'}`,
    )
  return 0
}

const NAMED = 3

const idsOf = (runs: readonly StoredRun[]): string =>
  `${runs.length === 1 ? 'run' : 'runs'} ${listPaths(
    runs.map(({ id }) => id),
    NAMED,
  )}`

/** All but the newest of each project. */
function beyondNewest(runs: StoredRun[], keep: number): StoredRun[] {
  const seen = new Map<string, number>()
  return runs.toReversed().filter(({ began: { project } }) => {
    const newer = seen.get(project) ?? 0
    seen.set(project, newer + 1)
    return newer >= keep
  })
}

/** No process hosts it, and it has finished, or can never go on because its project is gone. */
function isOver(home: string, run: StoredRun): boolean {
  if (isLive(run) || heldElsewhere(home, run.id)) return false
  const last = run.events.findLast(e => e.type === 'finished' || e.type === 'resumed')
  return last?.type === 'finished' || !existsSync(run.began.project)
}

/** The session folder. Null if there is none in the project that the run was in, or a link leads elsewhere. */
function sessionOf({ id, last, began }: StoredRun): { root: PinnedFolder; path: string } | null {
  try {
    // Not by the schema: a run of another version of ralph is deleted, too.
    const sessions = typeof began.pins.sessions === 'string' ? began.pins.sessions : undefined
    const place = sessions ?? began.project
    const path = sessionDir(place, id)
    const root = pinFolder(place)
    const isProject = sessions !== undefined || (last.folder ?? root.id) === root.id
    return isProject && isFolderInside(root, path) ? { root, path } : null
  } catch {
    return null // The project is gone.
  }
}

/** The total size of the files below a path. Links are not followed. */
function bytesIn(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return 0
  if (!found.isDirectory()) return found.size
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
}
