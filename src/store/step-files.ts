import { closeSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent } from '../core/events.ts'
import type { StepId } from '../core/table.ts'
import { writeAll } from './files/atomic.ts'
import { openNewFile, writeNewFile } from './files/growing.ts'
import { PathChanged } from './files/pinned.ts'
import { describeWriteError } from './files/writable.ts'

/** How the folders of a run's steps are named. Learns from every event of the run. */
export type StepFolders = {
  learn(event: RunEvent): void
  /** The number of the iteration that a step is, or 0 for the baseline. */
  numberOf(id: StepId | null): number
  nameOf(id: StepId | null): string
}

/** Nobody asks for the folder of a step that so many others came after. */
const MOST_STEPS = 1000

export function stepFolders(past: readonly RunEvent[] = []): StepFolders {
  const steps = new Map<StepId, { n: number; name: string }>()
  const attempts = new Map<number, number>()
  /** Several steps may have the same number: one that does not count is tried again. */
  const learn = (event: RunEvent) => {
    if (event.type !== 'started') return
    const attempt = (attempts.get(event.n) ?? 0) + 1
    attempts.set(event.n, attempt)
    const name = folderName(event.n)
    steps.set(event.id, { n: event.n, name: attempt === 1 ? name : `${name}-${attempt}` })
    for (const known of [steps, attempts] as Map<number, unknown>[])
      if (known.size > MOST_STEPS) known.delete(known.keys().next().value!)
  }
  for (const event of past) learn(event)
  const numberOf = (id: StepId | null) => (id === null ? 0 : (steps.get(id)?.n ?? id))
  return {
    learn,
    numberOf,
    nameOf: id => (id !== null && steps.get(id)?.name) || folderName(numberOf(id)),
  }
}

const folderName = (n: number) => `iter-${String(n).padStart(3, '0')}`

/** How much of standard error is kept to explain a failure. */
const ERROR_TAIL = 4096

/** How many bytes of each stream are kept: an agent may write more than the disk holds. */
const LIMITS = { output: 1e9, errors: 64e6 }

/** The raw output of a step's agent. */
export const STREAM_FILE = 'stream.ndjson'

/** Where the files of a call go. */
export type CallFiles = {
  /** The folder of a step. A step has one, however many calls it makes. */
  folderFor(id: StepId): string
  /** Runs an action on a file. If it fails, the run stops. It is not the agent's failure. */
  keep<T>(path: string, act: (entry: string) => T): T
}

/**
 * The files of one call: the prompt, the raw stream, and standard error if there is any. Those of a question have the
 * role in their names.
 */
export function callRecord(files: CallFiles, role?: string, limits = LIMITS) {
  const named = (name: string) => (role === undefined ? name : `${role}-${name}`)
  let folder: string | null = null
  let output = NO_FILE
  let errors: Stream | null = null
  let tail = Buffer.alloc(0)
  const openIn = (name: string, title: string, limit: number): Stream =>
    folder === null ? NO_FILE : openStream(join(folder, named(name)), title, limit, files.keep)
  /** If the agent removed the folder, only this log is lost. */
  const openErrors = (): Stream => {
    try {
      return openIn('stderr.log', 'standard error', limits.errors)
    } catch (error) {
      if (!isGone(error)) throw error
      return NO_FILE
    }
  }
  return {
    /** Returns the path of the prompt, or null if the agent has already removed the folder. */
    open(id: StepId, prompt: string): string | null {
      try {
        folder = files.folderFor(id)
        const promptFile = join(folder, named('prompt.txt'))
        files.keep(promptFile, entry => writeNewFile(entry, prompt))
        output = openIn(STREAM_FILE, 'standard output', limits.output)
        return promptFile
      } catch (error) {
        if (!isGone(error)) throw error
        folder = null
        return null
      }
    },
    output: (chunk: Uint8Array) => output.write(chunk),
    error(chunk: Uint8Array) {
      errors ??= openErrors()
      errors.write(chunk)
      tail = Buffer.concat([tail, chunk]).subarray(-ERROR_TAIL)
    },
    /** The end of standard error. */
    errors: () => tail.toString('utf8'),
    /** The last line of it. */
    complaint: () => tail.toString('utf8').trimEnd().split('\n').at(-1)?.trim() ?? '',
    close() {
      output.close()
      errors?.close()
    },
  }
}

/** The folder was removed, or a link or a file is in its place. */
const isGone = (error: unknown): boolean => {
  const cause = (error as Error).cause ?? error
  return cause instanceof PathChanged || (cause as NodeJS.ErrnoException).code === 'ENOENT'
}

type Stream = ReturnType<typeof openStream>

const NO_FILE: Stream = { write() {}, close() {} }

/** A file that keeps bytes up to a limit. Its last line says if there were more. */
function openStream(path: string, title: string, limit: number, keep: CallFiles['keep']) {
  const fd = keep(path, openNewFile)
  const leftOut = `\n[ralph: the rest of ${title} is left out, after ${limit / 1e6} MB]\n`
  let room = limit
  return {
    write(chunk: Uint8Array) {
      if (room < 0) return
      writeTo(fd, path, chunk.subarray(0, room))
      room -= chunk.length
      if (room < 0) writeTo(fd, path, Buffer.from(leftOut))
    },
    close: () => closeSync(fd),
  }
}

function writeTo(fd: number, path: string, chunk: Uint8Array): void {
  try {
    writeAll(fd, chunk)
  } catch (error) {
    throw new Error(describeWriteError(error, path), { cause: error })
  }
}
