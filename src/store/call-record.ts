import { closeSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { writeAll } from './files/atomic.ts'
import { openNewFile, writeNewFile } from './files/new-file.ts'
import { describeWriteError } from './files/writable.ts'

/** How much of standard error is kept for the sentence that explains a failure. */
const ERROR_TAIL = 4096

/** How much of each is kept in all: an agent may pour out more than any disk holds. */
const MOST = { output: 1e9, errors: 64e6 }

/** Where the files of a call go. */
export type Desk = {
  folderFor(step: { n: number }): string
  /** Without its files nothing goes on: no fault of the agent's. */
  keep<T>(path: string, act: () => T): T
}

/** The files of one call, once they are opened: the prompt, the raw stream, and standard error if there is any. */
export function callRecord(desk: Desk, most = MOST) {
  let folder: string | null = null
  let stream = NOWHERE
  let errors: Stream | null = null
  let tail = Buffer.alloc(0)
  const into = (name: string, called: string, limit: number): Stream =>
    folder === null ? NOWHERE : openStream(join(folder, name), called, limit, desk.keep)
  return {
    /** Returns where the prompt is; null where the agent has taken the whole folder away already. */
    open(step: { n: number }, prompt: string): string | null {
      try {
        folder = desk.folderFor(step)
        const promptFile = join(folder, 'prompt.txt')
        desk.keep(promptFile, () => writeNewFile(promptFile, prompt))
        stream = into('stream.ndjson', 'standard output', most.output)
        return promptFile
      } catch (error) {
        if (!isGone(error)) throw error
        folder = null
        return null
      }
    },
    output: (chunk: Uint8Array) => stream.take(chunk),
    error(chunk: Uint8Array) {
      // An agent that took the folder away loses its log with it, and no more.
      errors ??=
        folder !== null && existsSync(folder) ? into('stderr.log', 'standard error', most.errors) : NOWHERE
      errors.take(chunk)
      tail = Buffer.concat([tail, chunk]).subarray(-ERROR_TAIL)
    },
    /** The last line of standard error. */
    complaint: () => tail.toString('utf8').trimEnd().split('\n').at(-1)?.trim() ?? '',
    close() {
      stream.close()
      errors?.close()
    },
  }
}

const isGone = (error: unknown): boolean =>
  ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'

type Stream = ReturnType<typeof openStream>

const NOWHERE: Stream = { take() {}, close() {} }

/** A file that takes bytes up to a limit, and says at its end that there were more. */
function openStream(path: string, name: string, most: number, keep: Desk['keep']) {
  const fd = keep(path, () => openNewFile(path))
  const leftOut = `\n[ralph: the rest of ${name} is left out, after ${most / 1e6} MB]\n`
  let room = most
  return {
    take(chunk: Uint8Array) {
      if (room < 0) return
      put(fd, path, chunk.subarray(0, room))
      room -= chunk.length
      if (room < 0) put(fd, path, Buffer.from(leftOut))
    },
    close: () => closeSync(fd),
  }
}

function put(fd: number, path: string, chunk: Uint8Array): void {
  try {
    writeAll(fd, chunk)
  } catch (error) {
    throw new Error(describeWriteError(error, path), { cause: error })
  }
}
