import { lstatSync, mkdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { RunEvent } from '../core/events.ts'
import { firstLine, formatDuration, logTime } from '../core/format.ts'
import { OWN_IGNORE } from '../core/own-ignore.ts'
import { CannotGoOn } from '../core/ports.ts'
import { redactText } from '../core/secrets.ts'
import type { StepId } from '../core/table.ts'
import { replaceFileUnsynced } from './files/atomic.ts'
import { appendToFile } from './files/growing.ts'
import { actInside, forceReplaceFileUnsynced, kindAt, lossOf, makeFolder } from './files/inside.ts'
import { type HeldFolder, holdFolder, isPinned, type PinnedFolder, pinFolder } from './files/pinned.ts'
import { describeWriteError, requireWritable } from './files/writable.ts'
import { type StepFolders, stepFolders } from './step-files.ts'

/** The folder in the project that people and agents read. The journal is elsewhere, so nothing here must survive. */
export interface Session {
  /** The project. Nothing is written outside it. */
  root: PinnedFolder
  dir: string
  /** Creates the folder again if it is missing: an agent may have cleaned the tree. */
  ensureFolder(): void
  /**
   * The folder of a step's files. Every step has its own. Call `ensureFolder` before the agent starts: this does not create
   * the session folder, so what a working agent removes does not come back.
   */
  folderFor(id: StepId): string
  /** The same when no agent of the step is at work. With null, the folder of the baseline. */
  folderOf(id: StepId | null): string
  /** The number of the iteration that a step is, or 0 for the baseline. */
  numberOf(id: StepId | null): number
  /**
   * Runs an action on a file here, unless a link leads elsewhere; `entry` is a path that no later link can redirect. If it
   * fails, the run stops with a line that says what to do.
   */
  keep<T>(path: string, act: (entry: string) => T): T
  /** The path of a file here as people and agents see it. */
  shown(path: string): string
  /** Writes the readable logs. Call it with every run event. */
  onEvent(event: RunEvent): void
  /** Adds an entry to the log of agent calls. */
  logCall(entry: Record<string, unknown>): void
  close(): void
}

export const sessionDir = (project: string, id: string): string => join(project, '.ralph', 'sessions', id)

/** An open session, and what it has noticed so far. */
type SessionState = {
  readonly id: string
  readonly root: PinnedFolder
  readonly dir: string
  readonly folder: HeldFolder
  readonly folders: StepFolders
  onLost(note: string): void
  isLossReported: boolean
  /** The steps that have started, for the log of iterations. */
  readonly running: Map<StepId, { n: number; of: string; isLogged: boolean }>
  /** The most iterations that the run may have, if there is a limit. */
  limit: number | null
}

/**
 * Opens the session of a run. `onLost` is called once if somebody removes the folder, by whatever call notices it. `past`
 * is the journal so far: the folders of its steps keep their names. `isElsewhere`: agents work in another folder.
 */
export function openSession(
  project: string,
  id: string,
  about: Record<string, unknown>,
  onLost: (note: string) => void,
  past: readonly RunEvent[] = [],
  isElsewhere = false,
): Session {
  const root = pinFolder(project)
  const dir = sessionDir(project, id)
  const folders = stepFolders(past)
  const session: SessionState = {
    id,
    root,
    dir,
    folder: holdFolder(root, relative(project, dir)),
    folders,
    onLost,
    isLossReported: false,
    running: new Map(),
    limit: null,
  }
  requireWritable(join(project, '.ralph'), 'ralph keeps prompts, streams and logs there', () => {
    createFolder(session)
    const text = `${JSON.stringify(about, null, 2)}\n`
    actInside(root, join(dir, 'session.json'), entry => replaceFileUnsynced(entry, Buffer.from(text), 0o600))
  })
  const ensureFolder = () => explain(session, dir, () => insist(() => createAgain(session)))
  return {
    root,
    dir,
    ensureFolder,
    folderFor: step => folderFor(session, step),
    folderOf(step) {
      ensureFolder()
      return folderFor(session, step)
    },
    numberOf: folders.numberOf,
    keep: (path, act) => keepIn(session, path, act),
    shown: path => (isElsewhere ? path : relative(project, path)),
    logCall: entry => logCall(session, entry),
    close: session.folder.close,
    onEvent(event) {
      folders.learn(event)
      logEvent(session, event)
    },
  }
}

function createFolder({ root, dir }: SessionState): void {
  makeFolder(root, dir)
  ignoreAll(root, dir)
  ignoreOwnFiles(root, join(root.path, '.ralph'))
}

function createAgain(session: SessionState): void {
  const { root, dir, folder } = session
  if (folder.isThere()) return
  const lost = lossOf(root)
  if (lost !== null) throw new CannotGoOn(`the project ${root.path} ${lost}`)
  createFolder(session)
  if (!session.isLossReported)
    session.onLost(
      `${relative(root.path, dir)} was removed and is created again; the prompts, streams and logs in it are lost`,
    )
  session.isLossReported = true
}

/** Runs an action that writes to a path. If it fails, the run stops with a line that says what to do. */
function explain<T>({ id }: SessionState, path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof CannotGoOn) throw error
    throw new CannotGoOn(`${describeWriteError(error, path)}; fix that, then: ralph resume ${id}`, {
      cause: error,
    })
  }
}

const keepIn = <T>(session: SessionState, path: string, act: (entry: string) => T): T =>
  explain(session, path, () => session.folder.act(relative(session.dir, path), act))

function folderFor(session: SessionState, step: StepId | null): string {
  const path = join(session.dir, session.folders.nameOf(step))
  keepIn(session, path, entry => {
    const kind = kindAt(entry)
    // An agent may have put something there already; a link would lead ralph's files elsewhere.
    if (kind !== null && kind !== 'folder') rmSync(entry)
    if (kind !== 'folder') mkdirSync(entry, 0o700)
  })
  return path
}

function append(session: SessionState, file: string, line: string): void {
  const { root, dir, folder } = session
  const bytes = Buffer.from(`${line}\n`)
  const add = () => folder.act(file, entry => appendToFile(entry, bytes, 0o600))
  try {
    add()
  } catch {
    // Ralph must not create the project itself.
    if (!isPinned(root)) return
    explain(session, join(dir, file), () =>
      insist(() => {
        createAgain(session)
        add()
      }),
    )
  }
}

const logCall = (session: SessionState, entry: Record<string, unknown>): void =>
  append(session, 'agent-calls.jsonl', JSON.stringify(entry))

/** Adds what an event says to the readable logs. */
function logEvent(session: SessionState, event: RunEvent): void {
  const { running, limit } = session
  const log = (text: string) => append(session, 'iterations.log', `${logTime(event.at)} ${text}`)
  const numberOf = (id: StepId) => running.get(id)?.n ?? id
  const logStart = (id: StepId) => {
    const step = running.get(id)
    if (!step || step.isLogged) return
    step.isLogged = true
    log(`[START] iteration ${step.n}${step.of}`)
  }
  if (event.type === 'began' || event.type === 'resumed' || event.type === 'limits')
    session.limit = event.limits.iterations
  else if (event.type === 'started')
    running.set(event.id, { n: event.n, of: limit === null ? '' : `/${limit}`, isLogged: false })
  else if (event.type === 'spawned') logStart(event.id)
  else if (event.type === 'ended') {
    // An agent that could not be started has an end too.
    logStart(event.id)
    const exit = event.exit.signal ?? event.exit.code
    log(`[END] iteration ${numberOf(event.id)} exit=${exit} duration=${formatDuration(event.ms)}`)
  } else if (event.type === 'settled' && event.end !== 'ok')
    log(`[FAIL] iteration ${numberOf(event.id)} ${event.end}: ${redactText(firstLine(event.note))}`)
  else if (event.type === 'edited' && event.by === 'agent') {
    const [step = null, at] = [[...running.keys()].at(-1), new Date(event.at).toISOString()]
    const { list, state } = event
    const iteration = step && session.folders.numberOf(step)
    logCall(session, { at, step, iteration, kind: 'todo-sync', list, state })
  } else if (event.type === 'finished') {
    try {
      log(`[STOP] ${event.result}: ${redactText(firstLine(event.why))}`)
    } catch {
      // The run is finished, with or without this line.
    }
  }
}

const MOST_TRIES = 100

/** An agent may be in the middle of removing the folder, and take away what was just made. */
function insist(act: () => void, tries = MOST_TRIES): void {
  try {
    act()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === 1) throw error
    insist(act, tries - 1)
  }
}

/**
 * Keeps ralph's own files in `.ralph` out of the repository. A file with any content stays as it is: a person may have
 * changed it. An empty one was left by a crash.
 */
export function ignoreOwnFiles(root: PinnedFolder, ralph: string): void {
  const path = join(ralph, '.gitignore')
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found?.isFile() || found.size === 0) forceReplaceFileUnsynced(root, path, OWN_IGNORE)
}

/** The same for one folder: the file above may be committed, and is then missing after a checkout of an earlier commit. */
const ignoreAll = (root: PinnedFolder, folder: string): void =>
  forceReplaceFileUnsynced(root, join(folder, '.gitignore'), '*\n')
