import { closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { RunEvent } from '../core/events.ts'
import { formatDuration } from '../core/format.ts'
import { CannotGoOn } from '../core/ports.ts'
import type { Step } from '../core/table.ts'
import { replaceFileUnsynced, writeAll } from './files/atomic.ts'
import { describeWriteError, requireWritable } from './files/writable.ts'
import { ignoreAll, ignoreOwnFiles } from './ignore.ts'

/** The folder in the project that people and agents read. The journal is elsewhere, so nothing here must survive. */
export interface Session {
  dir: string
  /** Creates the folder again if it is missing: an agent may have cleaned the tree. */
  ready(): void
  /**
   * A folder for a step's files; each attempt at an iteration gets its own. Call `ready` before the agent starts: this
   * does not create the session folder, so what a working agent removes does not come back.
   */
  folderFor(step: Pick<Step, 'n'>): string
  /** The latest folder of an iteration. */
  folderOf(n: number): string
  /** Runs an action on a file here; if it fails, the run stops with a line that says what to do. */
  keep<T>(path: string, act: () => T): T
  /** The path of a file here as people and agents see it. */
  shown(path: string): string
  /** Writes the readable logs. Call it with every run event. */
  onEvent(event: RunEvent): void
  /** Adds an entry to the log of agent calls. */
  call(entry: Record<string, unknown>): void
}

export const sessionDir = (project: string, id: string): string => join(project, '.ralph', 'sessions', id)

/** `onLost` is called once if somebody removes the folder, by whatever call notices it. */
export function openSession(
  project: string,
  id: string,
  about: Record<string, unknown>,
  onLost: (note: string) => void,
): Session {
  const ralph = join(project, '.ralph')
  const dir = sessionDir(project, id)
  let isReported = false
  const create = () => {
    mkdirSync(dir, { recursive: true })
    ignoreAll(dir)
    ignoreOwnFiles(ralph)
  }
  const createAgain = () => {
    if (existsSync(dir)) return
    if (!existsSync(project)) throw new CannotGoOn(`the project ${project} is gone`)
    create()
    if (!isReported)
      onLost(
        `${relative(project, dir)} was removed and is created again; the prompts, streams and logs in it are lost`,
      )
    isReported = true
  }
  requireWritable(ralph, 'ralph keeps prompts, streams and logs there', () => {
    create()
    replaceFileUnsynced(join(dir, 'session.json'), Buffer.from(`${JSON.stringify(about, null, 2)}\n`))
  })

  const attempts = (n: number) => {
    const name = `iter-${String(n).padStart(3, '0')}`
    let taken = 0
    while (existsSync(join(dir, taken === 0 ? name : `${name}-${taken + 1}`))) taken++
    return { name, taken }
  }
  const keep = <T>(path: string, act: () => T): T => {
    try {
      return act()
    } catch (error) {
      if (error instanceof CannotGoOn) throw error
      throw new CannotGoOn(`${describeWriteError(error, path)}; fix that, then: ralph resume ${id}`, {
        cause: error,
      })
    }
  }
  const ready = () => keep(dir, createAgain)
  const folder = (name: string, attempt: number) => {
    const path = join(dir, attempt > 1 ? `${name}-${attempt}` : name)
    keep(path, () => {
      if (!existsSync(path)) mkdirSync(path)
    })
    return path
  }
  const append = (file: string, line: string) => {
    const path = join(dir, file)
    try {
      appendLine(path, line)
    } catch {
      // Ralph must not create the project itself.
      if (!existsSync(project)) return
      keep(path, () => {
        createAgain()
        appendLine(path, line)
      })
    }
  }
  const running = new Map<number, { n: number; of: string; isLogged: boolean }>()
  let limit: number | null = null
  const start = (id: number, at: number) => {
    const step = running.get(id)
    if (!step || step.isLogged) return
    step.isLogged = true
    append('iterations.log', `${stamp(at)} [START] iteration ${step.n}${step.of}`)
  }

  return {
    dir,
    ready,
    folderFor(step) {
      const { name, taken } = attempts(step.n)
      return folder(name, taken + 1)
    },
    folderOf(n) {
      ready()
      const { name, taken } = attempts(n)
      return folder(name, taken)
    },
    keep,
    shown: path => relative(project, path),
    call: entry => append('agent-calls.jsonl', JSON.stringify(entry)),
    onEvent(event) {
      if (event.type === 'began' || event.type === 'resumed') limit = event.limits.iterations
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
          `${stamp(event.at)} [FAIL] iteration ${n} ${event.end}: ${oneLine(event.note)}`,
        )
      } else if (event.type === 'finished') {
        try {
          append('iterations.log', `${stamp(event.at)} [STOP] ${event.result}: ${oneLine(event.why)}`)
        } catch {
          // The run is finished, with or without this line.
        }
      }
    },
  }
}

/** O_NONBLOCK makes a pipe that an agent left there an error; otherwise ralph would block, signals included. */
const { O_APPEND, O_CREAT, O_NONBLOCK, O_WRONLY } = constants
const APPEND = O_APPEND | O_CREAT | O_NONBLOCK | O_WRONLY

function appendLine(path: string, line: string): void {
  const fd = openSync(path, APPEND)
  try {
    writeAll(fd, Buffer.from(`${line}\n`))
  } finally {
    closeSync(fd)
  }
}

const stamp = (at: number) => new Date(at).toISOString().slice(0, 19)
const oneLine = (text: string) => text.split('\n', 1)[0]!
