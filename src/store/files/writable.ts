// Wrap any of the ways to write in `requireWritable` where the user has to fix the folder: the error becomes one line that
// names the path, the cause and the way out. `describeWriteError` gives the first half of that line.

import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from '../../core/usage-error.ts'

export const HOME_WAY_OUT = 'set RALPH_HOME to a folder of yours'

/** Runs an action that writes to this path. If it fails, throws a UsageError that ends with the way out. */
export function requireWritable<T>(path: string, wayOut: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${describeWriteError(error, path)}; ${wayOut}`)
  }
}

/** Why something could not be written to this path, in one line that names it. */
export function describeWriteError(error: unknown, path: string): string {
  const { code, message } = findCause(error as NodeJS.ErrnoException, path)
  const why = {
    EACCES: 'permission denied',
    EROFS: 'it is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the quota is used up',
    EFBIG: 'no larger files are allowed',
    ENOTDIR: 'a part of that path is a file',
    EEXIST: 'a file is in its place',
    ENOENT: 'it cannot be created',
  }[code ?? '']
  return `cannot write to ${path}: ${why ?? message}`
}

/** Creating a folder fails with ENOENT for several reasons: the nearest folder that exists shows which. */
function findCause(error: NodeJS.ErrnoException, path: string): NodeJS.ErrnoException {
  if (error.code !== 'ENOENT') return error
  let folder = path
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  try {
    accessSync(folder, constants.W_OK)
    return error
  } catch (cause) {
    return cause as NodeJS.ErrnoException
  }
}
