import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../store/atomic.ts'
import { notWritten } from '../store/writable.ts'

/** How much of standard error is kept for the sentence that explains a failure. */
const ERROR_TAIL = 4096

/** How much of each is kept in all: an agent may pour out more than any disk holds. */
const MOST = { output: 1e9, errors: 64e6 }

/** Without its files nothing goes on: no fault of the agent's. */
type Must = <T>(path: string, act: () => T) => T

/** The files of one call: the prompt, the raw stream, and standard error if there is any. */
export function openRecord(folder: string, prompt: string, must: Must, most = MOST) {
  const promptFile = join(folder, 'prompt.txt')
  must(promptFile, () => writeFileSync(promptFile, prompt))
  const stream = openStream(join(folder, 'stream.ndjson'), 'standard output', most.output, must)
  const errorFile = join(folder, 'stderr.log')
  let errors: Stream | null = null
  let tail = Buffer.alloc(0)
  return {
    promptFile,
    output: stream.take,
    error(chunk: Uint8Array) {
      // An agent that took the folder away loses its log with it, and no more.
      errors ??= existsSync(folder) ? openStream(errorFile, 'standard error', most.errors, must) : NOWHERE
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

type Stream = ReturnType<typeof openStream>

const NOWHERE: Stream = { take() {}, close() {} }

/** A file that takes bytes up to a limit, and says at its end that there were more. */
function openStream(path: string, name: string, most: number, must: Must) {
  const fd = must(path, () => openSync(path, 'w'))
  const leftOut = `\n[ralph: the rest of ${name} is left out, after ${most / 1e6} MB]\n`
  let room = most
  return {
    take(chunk: Uint8Array) {
      if (room < 0) return
      keep(fd, path, chunk.subarray(0, room))
      room -= chunk.length
      if (room < 0) keep(fd, path, Buffer.from(leftOut))
    },
    close: () => closeSync(fd),
  }
}

function keep(fd: number, path: string, chunk: Uint8Array): void {
  try {
    writeWhole(fd, chunk)
  } catch (error) {
    throw new Error(notWritten(error, path), { cause: error })
  }
}
