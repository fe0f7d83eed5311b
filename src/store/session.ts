import { closeSync, constants, existsSync, mkdirSync, openSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { RunEvent } from '../core/events.ts'
import { formatDuration } from '../core/format.ts'
import { CannotGoOn } from '../core/ports.ts'
import type { Step } from '../core/table.ts'
import { replaceFileUnsynced, writeAll } from './files/atomic.ts'
import { describeWriteError, requireWritable } from './files/writable.ts'
import { ignoreAll, ignoreOwnFiles } from './ignore.ts'

/** The folder in the project that people and agents read. The truth is elsewhere, so all of it may be lost. */
export interface Session {
  dir: string
  /** Makes what others took away of it anew: an agent may have cleaned the tree, and this folder with it. */
  ready(): void
  /**
   * A folder for a step's files; a second attempt at the same iteration gets one of its own. Only within what is
   * `ready`, for the agent of the step may be at work, and what it removes is not to come back.
   */
  folderFor(step: Pick<Step, 'n'>): string
  /** The newest folder of an iteration. */
  folderOf(n: number): string
  /** Does something to a file here that must be done; if that fails, the run stops and says what helps. */
  keep<T>(path: string, act: () => T): T
  /** How a file here is named to people and agents. */
  shown(path: string): string
  /** Keeps the readable logs; give it every run event. */
  hear(event: RunEvent): void
  call(entry: Record<string, unknown>): void
}

export const sessionDir = (project: string, id: string): string => join(project, '.ralph', 'sessions', id)

/** `lost` is told once, in the middle of whatever noticed it, if somebody takes the folder away. */
export function openSession(
  project: string,
  id: string,
  about: Record<string, unknown>,
  lost: (note: string) => void,
): Session {
  const ralph = join(project, '.ralph')
  const dir = sessionDir(project, id)
  let isTold = false
  const make = () => {
    mkdirSync(dir, { recursive: true })
    ignoreAll(dir)
    ignoreOwnFiles(ralph)
  }
  const makeAnew = () => {
    if (existsSync(dir)) return
    if (!existsSync(project)) throw new CannotGoOn(`the project ${project} is gone`)
    make()
    if (!isTold)
      lost(
        `${relative(project, dir)} was removed and is made anew: the prompts, streams and logs in it are gone`,
      )
    isTold = true
  }
  requireWritable(ralph, 'ralph keeps prompts, streams and logs there', () => {
    make()
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
      throw new CannotGoOn(`${describeWriteError(error, path)}; mend that, then: ralph resume ${id}`, {
        cause: error,
      })
    }
  }
  const ready = () => keep(dir, makeAnew)
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
      // The project itself is not ours to make.
      if (!existsSync(project)) return
      keep(path, () => {
        makeAnew()
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
    hear(event) {
      if (event.type === 'began' || event.type === 'resumed') limit = event.limits.iterations
      else if (event.type === 'started')
        running.set(event.id, { n: event.n, of: limit === null ? '' : `/${limit}`, isLogged: false })
      else if (event.type === 'spawned') start(event.id, event.at)
      else if (event.type === 'ended') {
        // One that could not be started ends all the same.
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
          // It is finished, whatever becomes of the log.
        }
      }
    },
  }
}

/** A pipe that an agent left there is an error then; else ralph would wait for a reader, deaf to all signals. */
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
