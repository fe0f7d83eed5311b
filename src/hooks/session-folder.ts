import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const DAY_MS = 24 * 60 * 60 * 1000
const KEPT_MS = 7 * DAY_MS

/** The folder where hooks keep the state of a session. No other user can read it or create it first. */
export function sessionFolder(session: string | undefined): string {
  if (!session) throw new Error('claude named no session_id')
  const folder = join(privateFolder(), session.replace(/[^\w-]/g, '_').slice(0, 100))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** Removes the folders of sessions that ended long ago. */
export function removeOldSessions(now: number): void {
  const parent = privateFolder()
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name)
    const stat = lstatSync(folder, { throwIfNoEntry: false })
    if (stat && now - stat.mtimeMs > KEPT_MS) rmSync(folder, { recursive: true, force: true })
  }
}

function privateFolder(): string {
  const uid = process.getuid?.() ?? 0
  const folder = join(tmpdir(), `ralph-hooks-${uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stat = lstatSync(folder)
  // The folder for temporary files may be shared, so another user may have created this one first.
  if (!stat.isDirectory() || stat.uid !== uid || (stat.mode & 0o077) !== 0)
    throw new Error(`${folder} is not a private folder of yours; remove it, or set TMPDIR`)
  return folder
}
