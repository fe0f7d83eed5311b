import { accessSync, constants, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { formatBytes } from '../../../core/format.ts'
import type { FolderFact } from './facts.ts'

/** With less room than this, ralph cannot even begin a run. */
const FULL_BYTES = 1024 ** 2

/** With less than this, the logs of a run may soon fill the disk. */
const LOW_BYTES = 256 * 1024 ** 2

export type FolderOptions = {
  name: FolderFact['name']
  path: string
  /** A missing folder is no trouble if it can be made. */
  mayBeMissing?: boolean
  /** Files in it must be the user's own. */
  isPrivate?: boolean
}

/** Whether ralph can write to a folder that it needs. Writes nothing. */
export function examineFolder({ name, path, mayBeMissing, isPrivate }: FolderOptions): FolderFact {
  const found = nearest(path)
  const trouble = found === path || mayBeMissing ? troubleAt(found, path) : 'does not exist'
  return { name, path, trouble, doubt: trouble === null ? doubtAt(found, isPrivate ?? false) : null }
}

function troubleAt(folder: string, path: string): string | null {
  try {
    if (!statSync(folder).isDirectory()) return 'cannot be written: a file is in its place'
    accessSync(folder, constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EROFS') return 'cannot be written: the disk is read-only'
    const owner = statSync(folder, { throwIfNoEntry: false })?.uid
    const whose = owner === undefined || isMine(owner) ? '' : `, it belongs to user ${owner}`
    return `cannot be written${folder === path ? '' : ` (${folder})`}: permission denied${whose}`
  }
  const room = roomIn(folder)
  if (room.files === 0) return 'cannot be written: the disk can hold no more files'
  return room.bytes < FULL_BYTES
    ? `cannot be written: the disk is full, ${formatBytes(room.bytes)} are free`
    : null
}

function doubtAt(folder: string, isPrivate: boolean): string | null {
  const { uid } = statSync(folder)
  if (isPrivate && !isMine(uid)) return `belongs to user ${uid}, but ralph runs as user ${process.getuid?.()}`
  const { bytes } = roomIn(folder)
  return bytes < LOW_BYTES ? `only ${formatBytes(bytes)} are free on its disk` : null
}

const isMine = (uid: number): boolean => process.getuid === undefined || process.getuid() === uid

/** `files`: how many more it can hold; a file system without such a limit says 0 of 0. */
function roomIn(folder: string): { bytes: number; files: number } {
  const { bavail, bsize, files, ffree } = statfsSync(folder)
  return { bytes: bavail * bsize, files: files === 0 ? Number.POSITIVE_INFINITY : ffree }
}

/** The folder itself, or what is there of the way to it. */
function nearest(path: string): string {
  for (let at = path; ; at = dirname(at)) if (exists(at) || at === dirname(at)) return at
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // One that may not be looked at exists; a path through a file does not.
    return (error as NodeJS.ErrnoException).code === 'EACCES'
  }
}
