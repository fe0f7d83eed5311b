import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../../git/git.ts'
import type { Start } from '../../git/start.ts'
import { appendToFile } from '../../store/files/growing.ts'
import { actInside, forceReplaceFileUnsynced, kindAt, makeFolder } from '../../store/files/inside.ts'
import { isPinned, type PinnedFolder, pinFolder } from '../../store/files/pinned.ts'
import { LIMITS, textAt } from '../../store/files/read.ts'

const MARKER = '.ralph-active'

/**
 * Hooks and people look at the marker to see whether a story loop is running. Git is made to ignore it, so that an agent
 * that commits everything leaves it out.
 */
export function storyMarker(
  root: PinnedFolder,
  start: Start | null,
  env: Record<string, string>,
  warn: (note: string) => void,
) {
  const path = join(root.path, MARKER)
  let isIgnored = start === null
  let isMine = false
  /** With --shared, another loop may be at work here: its marker stays. */
  const isOthers = () => !isMine && isOtherAlive(path)
  return {
    /** Call it before the marker is written. */
    async keepOut(): Promise<void> {
      if (start && !isIgnored && (await git(root.path, env, ['check-ignore', '-q', MARKER])) === null)
        exclude(start.dirs.common, warn)
      isIgnored = true
    },
    write(json: string): void {
      if (isOthers()) return
      isMine = true
      forceReplaceFileUnsynced(root, path, json)
    },
    /** Removes the marker, even if it has become a folder. */
    drop(): void {
      if (isOthers()) return
      if (isPinned(root)) actInside(root, path, entry => rmSync(entry, { force: true, recursive: true }))
    },
  }
}

/** Whether a process that is not this one wrote the marker and still runs. */
function isOtherAlive(path: string): boolean {
  const pid = /"pid": ([1-9]\d*)\b/.exec(textAt(path, { limit: LIMITS.own }) ?? '')?.[1]
  if (pid === undefined || Number(pid) === process.pid) return false
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Ignores the marker in this clone only: .gitignore belongs to the user. */
function exclude(gitDir: string, warn: (note: string) => void): void {
  const path = join(gitDir, 'info', 'exclude')
  try {
    const root = pinFolder(gitDir)
    makeFolder(root, join(gitDir, 'info'))
    actInside(root, path, entry => {
      if (kindAt(entry) === 'link') throw new Error(`${path} is a symbolic link`)
      appendToFile(entry, Buffer.from(`${MARKER}\n`))
    })
  } catch (error) {
    warn(`git does not ignore ${MARKER}, because ${(error as Error).message}; add it to .gitignore`)
  }
}
