import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CannotGoOn } from '../core/ports.ts'
import { writeWhole } from '../store/atomic.ts'
import { notWritten } from '../store/writable.ts'

/** How much of standard error is kept for the sentence that explains a failure. */
const ERROR_TAIL = 4096

/** How much of it is kept in all: an agent may pour out more than any disk holds. */
const MOST_ERRORS = 64 * 1024 * 1024
const LEFT_OUT = '\n[ralph: the rest of standard error is left out, after 64 MB]\n'

export type CallRecord = ReturnType<typeof openRecord>

/** The files of one call: the prompt, the raw stream, and standard error if there is any. */
export function openRecord(folder: string, prompt: string) {
  const promptFile = join(folder, 'prompt.txt')
  prepare(promptFile, () => writeFileSync(promptFile, prompt))
  const streamFile = join(folder, 'stream.ndjson')
  const stream = prepare(streamFile, () => openSync(streamFile, 'w'))
  const errors = keepErrors(join(folder, 'stderr.log'))
  return {
    promptFile,
    output: (chunk: Uint8Array) => keep(stream, streamFile, chunk),
    error: errors.take,
    /** The last line of standard error. */
    complaint: errors.lastLine,
    close() {
      closeSync(stream)
      errors.close()
    },
  }
}

/** Without its files nothing goes on: no fault of the agent's. */
function prepare<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw new CannotGoOn(notWritten(error, path), { cause: error })
  }
}

function keep(fd: number, path: string, chunk: Uint8Array): void {
  try {
    writeWhole(fd, chunk)
  } catch (error) {
    throw new Error(notWritten(error, path), { cause: error })
  }
}

/** Standard error goes to a file that exists only if there is any, and its end is remembered. */
function keepErrors(path: string) {
  let fd: number | null = null
  let room = MOST_ERRORS
  let tail = Buffer.alloc(0)
  return {
    take(chunk: Uint8Array) {
      fd ??= openSync(path, 'w')
      if (room >= 0) {
        keep(fd, path, chunk.subarray(0, room))
        if (chunk.length > room) keep(fd, path, Buffer.from(LEFT_OUT))
        room -= chunk.length
      }
      tail = Buffer.concat([tail, chunk]).subarray(-ERROR_TAIL)
    },
    lastLine: () => tail.toString('utf8').trimEnd().split('\n').at(-1)?.trim() ?? '',
    close: () => fd !== null && closeSync(fd),
  }
}
