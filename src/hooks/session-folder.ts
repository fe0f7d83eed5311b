import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const DAY_MS = 24 * 60 * 60 * 1000
const KEPT_MS = 7 * DAY_MS

/** A folder for what hooks remember of a session, which nobody else can read or prepare. */
export function sessionFolder(session: string | undefined): string {
  if (!session) throw new Error('claude named no session_id')
  const folder = join(privateFolder(), session.replace(/[^\w-]/g, '_').slice(0, 100))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

/** Removes what sessions that are long over have left. */
export function forgetOldSessions(now: number): void {
  const parent = privateFolder()
  for (const name of readdirSync(parent)) {
    const folder = join(parent, name)
    const stands = lstatSync(folder, { throwIfNoEntry: false })
    if (stands && now - stands.mtimeMs > KEPT_MS) rmSync(folder, { recursive: true, force: true })
  }
}

function privateFolder(): string {
  const uid = process.getuid?.() ?? 0
  const folder = join(tmpdir(), `ralph-hooks-${uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stands = lstatSync(folder)
  // In a shared place for temporary files, somebody else may have been there first.
  if (!stands.isDirectory() || stands.uid !== uid || (stands.mode & 0o077) !== 0)
    throw new Error(`${folder} is not a folder of yours alone; remove it, or set TMPDIR`)
  return folder
}
