import { mkdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { RunEvent } from '../core/events.ts'
import { firstLine, formatDuration } from '../core/format.ts'
import { CannotGoOn } from '../core/ports.ts'
import { redactText } from '../core/secrets/redact.ts'
import type { StepId } from '../core/table.ts'
import { appendToFile } from './files/append.ts'
import { replaceFileUnsynced } from './files/atomic.ts'
import { inside, kindAt, lossOf, makeFolder } from './files/inside.ts'
import { holdFolder, isPinned, type PinnedFolder, pinFolder } from './files/pinned.ts'
import { describeWriteError, requireWritable } from './files/writable.ts'
import { ignoreAll, ignoreOwnFiles } from './ignore.ts'
import { stepFolders } from './step-folders.ts'

/** The folder in the project that people and agents read. The journal is elsewhere, so nothing here must survive. */
export interface Session {
  /** The project. Nothing is written outside it. */
  root: PinnedFolder
  dir: string
  /** Creates the folder again if it is missing: an agent may have cleaned the tree. */
  ensureFolder(): void
  /**
   * The folder of a step's files; every step has its own. Call `ensureFolder` before the agent starts: this does not create the
   * session folder, so what a working agent removes does not come back.
   */
  folderFor(id: StepId): string
  /** The same when no agent of the step is at work; null: the folder of the baseline. */
  folderOf(id: StepId | null): string
  /** The number of the iteration that a step is; 0 for the baseline. */
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

/**
 * `onLost` is called once if somebody removes the folder, by whatever call notices it. `past` is the journal so far: the
 * folders of its steps keep their names. `isElsewhere`: agents work in another folder.
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
  const ralph = join(project, '.ralph')
  const dir = sessionDir(project, id)
  const folder = holdFolder(root, relative(project, dir))
  let isReported = false
  const create = () => {
    makeFolder(root, dir)
    ignoreAll(root, dir)
    ignoreOwnFiles(root, ralph)
  }
  const createAgain = () => {
    if (folder.isThere()) return
    const lost = lossOf(root)
    if (lost !== null) throw new CannotGoOn(`the project ${project} ${lost}`)
    create()
    if (!isReported)
      onLost(
        `${relative(project, dir)} was removed and is created again; the prompts, streams and logs in it are lost`,
      )
    isReported = true
  }
  requireWritable(ralph, 'ralph keeps prompts, streams and logs there', () => {
    create()
    const text = `${JSON.stringify(about, null, 2)}\n`
    inside(root, join(dir, 'session.json'), entry => replaceFileUnsynced(entry, Buffer.from(text), 0o600))
  })

  const folders = stepFolders(past)
  const { numberOf } = folders
  const explain = <T>(path: string, act: () => T): T => {
    try {
      return act()
    } catch (error) {
      if (error instanceof CannotGoOn) throw error
      throw new CannotGoOn(`${describeWriteError(error, path)}; fix that, then: ralph resume ${id}`, {
        cause: error,
      })
    }
  }
  const keep = <T>(path: string, act: (entry: string) => T): T =>
    explain(path, () => folder.act(relative(dir, path), act))
  const ensureFolder = () => explain(dir, () => insist(createAgain))
  const folderFor = (id: StepId | null) => {
    const path = join(dir, folders.nameOf(id))
    keep(path, entry => {
      const kind = kindAt(entry)
      // An agent may have put something there already; a link would lead ralph's files elsewhere.
      if (kind !== null && kind !== 'folder') rmSync(entry)
      if (kind !== 'folder') mkdirSync(entry, 0o700)
    })
    return path
  }
  const append = (file: string, line: string) => {
    const path = join(dir, file)
    const bytes = Buffer.from(`${line}\n`)
    const add = () => folder.act(file, entry => appendToFile(entry, bytes, 0o600))
    try {
      add()
    } catch {
      // Ralph must not create the project itself.
      if (!isPinned(root)) return
      explain(path, () =>
        insist(() => {
          createAgain()
          add()
        }),
      )
    }
  }
  const logCall = (entry: Record<string, unknown>) => append('agent-calls.jsonl', JSON.stringify(entry))
  const running = new Map<number, { n: number; of: string; isLogged: boolean }>()
  let limit: number | null = null
  const start = (id: number, at: number) => {
    const step = running.get(id)
    if (!step || step.isLogged) return
    step.isLogged = true
    append('iterations.log', `${stamp(at)} [START] iteration ${step.n}${step.of}`)
  }

  return {
    root,
    dir,
    ensureFolder,
    folderFor,
    folderOf(id) {
      ensureFolder()
      return folderFor(id)
    },
    numberOf,
    keep,
    shown: path => (isElsewhere ? path : relative(project, path)),
    logCall,
    close: folder.close,
    onEvent(event) {
      folders.learn(event)
      if (event.type === 'began' || event.type === 'resumed' || event.type === 'limits')
        limit = event.limits.iterations
      else if (event.type === 'started')
        running.set(event.id, { n: event.n, of: limit === null ? '' : `/${limit}`, isLogged: false })
      else if (event.type === 'spawned') start(event.id, event.at)
      else if (event.type === 'ended') {
        // An agent that could not be started has an end too.
        start(event.id, event.at)
        const n = running.get(event.id)?.n ?? event.id
        const exit = event.exit.signal ?? event.exit.code
        append(
          'iterations.log',
          `${stamp(event.at)} [END] iteration ${n} exit=${exit} duration=${formatDuration(event.ms)}`,
        )
      } else if (event.type === 'settled' && event.end !== 'ok') {
        const n = running.get(event.id)?.n ?? event.id
        append(
          'iterations.log',
          `${stamp(event.at)} [FAIL] iteration ${n} ${event.end}: ${redactText(firstLine(event.note))}`,
        )
      } else if (event.type === 'edited' && event.by === 'agent') {
        const [step = null, at] = [[...running.keys()].at(-1), new Date(event.at).toISOString()]
        const { list, state } = event
        logCall({ at, step, iteration: step && numberOf(step), kind: 'todo-sync', list, state })
      } else if (event.type === 'finished') {
        try {
          append(
            'iterations.log',
            `${stamp(event.at)} [STOP] ${event.result}: ${redactText(firstLine(event.why))}`,
          )
        } catch {
          // The run is finished, with or without this line.
        }
      }
    },
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

const stamp = (at: number) => new Date(at).toISOString().slice(0, 19)
