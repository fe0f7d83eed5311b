import { accessSync, constants, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { formatBytes } from '../../../core/format.ts'
import { found, row } from './finding.ts'

/** With less room than this, ralph cannot even begin a run. */
const FULL_BYTES = 1024 ** 2

/** With less than this, the logs of a run may soon fill the disk. */
const LOW_BYTES = 256 * 1024 ** 2

type FolderName = 'home' | 'project' | 'temporary'

const REMEDIES: Record<FolderName, string> = {
  home: 'RALPH_HOME=<a folder of yours>',
  project: 'make room there, and let your user write to it',
  temporary: 'make it, or TMPDIR=<a folder with room>',
}

/**
 * Whether ralph can write to a folder that it needs, and what may go wrong there later. Writes nothing. The home may be
 * missing, and the files in it must be the user's own.
 */
export function findFolder(name: FolderName, given: string) {
  const path = resolve(given)
  const there = nearest(path)
  const trouble = there === path || name === 'home' ? troubleAt(there, path) : 'does not exist'
  const doubt = trouble === null ? doubtAt(there, name === 'home') : null
  const fact = { name, path, trouble, doubt }
  if (trouble !== null) {
    const why = `${path} ${trouble}`
    return { fact, rows: [row('no', name, why, REMEDIES[name])], obstacle: why }
  }
  return found(
    fact,
    doubt === null ? row('yes', name, path) : row('none', name, `${path} ${doubt}`, REMEDIES[name]),
  )
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

/** `files`: how many more it can hold. A file system without such a limit says 0 of 0. */
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
