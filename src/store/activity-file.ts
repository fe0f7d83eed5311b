import { closeSync, fstatSync, readSync, watch } from 'node:fs'
import { join } from 'node:path'
import type { StepId } from '../core/table.ts'
import { openNewFile } from './files/growing.ts'
import { LIMITS, textAt } from './files/read.ts'
import type { CallFiles } from './step-files.ts'

const NAME = 'activity.ndjson'

/** The file of a step to which hooks of its agent add lines. The agent itself can do so too. */
export type ActivityFile = {
  path: string
  /** Passes on the lines that are new. Also done by itself when the file grows, if the system reports that. */
  read(): void
  close(): void
}

/** Makes the file and follows it. It is read up to a limit, through the descriptor that it was made with. */
export function openActivityFile(
  files: CallFiles,
  id: StepId,
  onLine: (line: string) => void,
): ActivityFile | null {
  try {
    const path = join(files.folderFor(id), NAME)
    return follow(files.keep(path, openNewFile), path, onLine)
  } catch {
    // Without it ralph knows less. If the disk is full, the files that ralph needs report it.
    return null
  }
}

/** The lines that hooks wrote about a step's agent, whose files are in this folder. */
export const readActivity = (folder: string): string[] =>
  (textAt(join(folder, NAME), { limit: LIMITS.small, noLink: true }) ?? '').split('\n').filter(Boolean)

function follow(fd: number, path: string, onLine: (line: string) => void): ActivityFile {
  let at = 0
  let rest: Buffer = Buffer.alloc(0)
  let isClosed = false

  function read(): void {
    const all = Buffer.concat([rest, readOn()])
    const end = all.lastIndexOf('\n') + 1
    rest = all.subarray(end)
    for (const line of all.toString('utf8', 0, end).split('\n')) if (line !== '') onLine(line)
  }

  function readOn(): Buffer {
    try {
      const size = isClosed ? 0 : Math.min(fstatSync(fd).size, LIMITS.small)
      const bytes = Buffer.allocUnsafe(Math.max(size - at, 0))
      const count = bytes.length === 0 ? 0 : readSync(fd, bytes, 0, bytes.length, at)
      at += count
      return bytes.subarray(0, count)
    } catch {
      // A disk on the network may have lost it.
      return Buffer.alloc(0)
    }
  }

  const stopWatching = onChange(path, read)
  return {
    path,
    read,
    close() {
      if (isClosed) return
      read()
      isClosed = true
      stopWatching()
      closeSync(fd)
    },
  }
}

/** Where the system does not report changes, they are read when somebody asks. */
function onChange(path: string, act: () => void): () => void {
  try {
    const watcher = watch(path, { persistent: false }, act)
    watcher.on('error', () => {})
    return () => watcher.close()
  } catch {
    return () => {}
  }
}
