import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../core/usage-error.ts'
import { findFlaw, locate } from './json.ts'

const MAX_BYTES = 1024 * 1024

/** The JSON of a file in a folder; undefined if the file does not exist. Throws a UsageError that names `file`. */
export function readJson(folder: string, file: string): unknown {
  const bytes = readBytes(join(folder, file), file)
  return bytes === undefined ? undefined : parse(bytes, file)
}

function readBytes(path: string, file: string): Buffer | undefined {
  let fd: number
  try {
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    return explain(error as NodeJS.ErrnoException, path, file)
  }
  try {
    const stat = fstatSync(fd)
    if (stat.isDirectory()) throw new UsageError(`${file} is a directory; a file is needed there, or nothing`)
    if (!stat.isFile())
      throw new UsageError(`${file} is not a regular file; a file is needed there, or nothing`)
    if (stat.size > MAX_BYTES)
      throw new UsageError(
        `${file} is larger than 1 MiB (${stat.size} bytes); settings are small, so check what it is`,
      )
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

function explain(error: NodeJS.ErrnoException, path: string, file: string): undefined {
  switch (error.code) {
    case 'ENOENT':
      if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
      throw new UsageError(`${file} is a link to a file that does not exist; fix or remove it`, {
        cause: error,
      })
    case 'ENOTDIR':
      throw new UsageError(`${file} cannot be there: a part of its path is a file, not a folder`, {
        cause: error,
      })
    case 'EACCES':
    case 'EPERM':
      throw new UsageError(`${file} cannot be read: permission denied; make it and its folder readable`, {
        cause: error,
      })
    default:
      throw new UsageError(`${file} cannot be read: ${error.message}`, { cause: error })
  }
}

function parse(bytes: Buffer, file: string): unknown {
  if (bytes.includes(0)) throw new UsageError(`${file} contains NUL bytes; save it as UTF-8 text`)
  const text = decode(bytes, file)
  if (text.trim() === '') throw new UsageError(`${file} is empty; remove it, or write JSON into it`)
  const flaw = findFlaw(text)
  if (flaw) throw new UsageError(`${file}:${locate(text, flaw.at)}: ${flaw.what}`)
  return JSON.parse(text)
}

/** The decoder removes a byte order mark, which some editors write. */
function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new UsageError(`${file} is not UTF-8 text; save it as UTF-8`, { cause: error })
  }
}
