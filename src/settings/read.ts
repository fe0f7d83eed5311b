import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { JsonError, parseJson, repeatedKey } from '../core/json.ts'
import { UsageError } from '../core/usage-error.ts'
import { kindAt } from '../store/files/inside.ts'
import { LIMITS, readRegularFile, UnreadableFile } from '../store/files/read.ts'

/** The JSON of a file in a folder, or undefined if the file does not exist. Throws a UsageError that names it as `called`. */
export function readJson(folder: string, file: string, called = file): unknown {
  const bytes = readBytes(join(folder, file), called)
  return bytes === undefined ? undefined : parse(bytes, called)
}

function readBytes(path: string, file: string): Buffer | undefined {
  try {
    return readRegularFile(path, { limit: LIMITS.small })
  } catch (error) {
    if (error instanceof UnreadableFile)
      throw new UsageError(`${file} ${error.why}; replace it with a file of at most 1 MiB, or remove it`, {
        cause: error,
      })
    return explain(error as NodeJS.ErrnoException, path, file)
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
      throw new UsageError(`${fileAbove(path, file)} is a file, not a folder; move it away, or remove it`, {
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

/** What stands in the way of a path: the nearest name above it that exists. `called`: what the path is called. */
function fileAbove(path: string, called: string): string {
  const above = dirname(path)
  const name = dirname(called)
  return kindAt(above) === null && name !== dirname(name) ? fileAbove(above, name) : name
}

function parse(bytes: Buffer, file: string): unknown {
  if (bytes.includes(0)) throw new UsageError(`${file} contains NUL bytes; save it as UTF-8 text`)
  const text = decode(bytes, file)
  if (text.trim() === '') throw new UsageError(`${file} is empty; remove it, or write JSON into it`)
  try {
    const value = parseJson(text)
    const twice = repeatedKey(text)
    if (twice) throw new JsonError(text, twice)
    return value
  } catch (error) {
    const { place, what } = error as JsonError
    throw new UsageError(`${file}:${place}: ${what}`, { cause: error })
  }
}

/** The decoder removes a byte order mark, which some editors write. */
function decode(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new UsageError(`${file} is not UTF-8 text; save it as UTF-8`, { cause: error })
  }
}
