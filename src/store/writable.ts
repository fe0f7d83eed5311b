import { UsageError } from '../core/usage-error.ts'

export const HOME_WAY_OUT = 'set RALPH_HOME to a folder of yours'

/** Does what needs a folder that can be written to; where it cannot, one line says which, why, and the way out. */
export function needWritable<T>(place: string, wayOut: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    const why = {
      EACCES: 'permission denied',
      EROFS: 'it is read-only',
      ENOSPC: 'the disk is full',
      ENOTDIR: 'a part of that path is a file',
      EEXIST: 'a file is in its place',
      ENOENT: 'it cannot be made',
    }[code ?? '']
    throw new UsageError(`cannot write to ${place}: ${why ?? message}; ${wayOut}`)
  }
}
