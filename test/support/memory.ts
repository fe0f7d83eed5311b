import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
const ENOUGH_BYTES = 2 ** 30

/**
 * Keeps the scratch folders of all tests in memory if there is room and programs can run from there: on a disk, a seventh
 * of the work of the tests is to make files and to remove them again. A TMPDIR that is set stays: `TMPDIR=/tmp npm test`
 * is on the disk.
 */
export function keepScratchInMemory(): void {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return
  const { bavail, bsize } = statfsSync(MEMORY)
  if (bavail * bsize < ENOUGH_BYTES) return
  const folder = makeFolder(MEMORY)
  if (runsPrograms(folder)) process.env.TMPDIR = folder
}

/**
 * A folder on the disk, in `RALPH_TESTS_ON_DISK`, for what a worker makes once for all its files: no test can remove that, and a
 * worker is killed when it has done its work.
 */
export function keepFolderOnDisk(): void {
  process.env.RALPH_TESTS_ON_DISK ??= makeFolder('/tmp')
}

/** A folder that is there until all tests are done. */
function makeFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'ralph-tests-'))
  // Some tests become another user.
  chmodSync(folder, 0o1777)
  process.on('exit', () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    } catch {
      // What a failed test left running still writes there.
    }
  })
  return folder
}

function runsPrograms(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  try {
    execFileSync(program)
    return true
  } catch {
    return false
  }
}
