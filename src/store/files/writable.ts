import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from '../../core/usage-error.ts'

export const HOME_WAY_OUT = 'set RALPH_HOME to a folder of yours'

/** Does what needs a folder that can be written to; where it cannot, one line says which, why, and the way out. */
export function needWritable<T>(place: string, wayOut: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${notWritten(error, place)}; ${wayOut}`)
  }
}

/** Why something could not be written to this place, in words that name it. */
export function notWritten(error: unknown, place: string): string {
  const { code, message } = inDepth(error as NodeJS.ErrnoException, place)
  const why = {
    EACCES: 'permission denied',
    EROFS: 'it is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the quota is used up',
    EFBIG: 'no larger files are allowed',
    ENOTDIR: 'a part of that path is a file',
    EEXIST: 'a file is in its place',
    ENOENT: 'it cannot be made',
  }[code ?? '']
  return `cannot write to ${place}: ${why ?? message}`
}

/** Making a folder fails with ENOENT for more than one reason: the nearest one that exists tells which. */
function inDepth(error: NodeJS.ErrnoException, place: string): NodeJS.ErrnoException {
  if (error.code !== 'ENOENT') return error
  let folder = place
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  try {
    accessSync(folder, constants.W_OK)
    return error
  } catch (why) {
    return why as NodeJS.ErrnoException
  }
}
