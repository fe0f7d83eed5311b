import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A scratch git project with these files. It is not deleted, so that the user can look at it. */
export function makeScratch(files: Readonly<Record<string, string>>, message: string): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-demo-')))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  initRepository(dir, message)
  return dir
}

/** Without git the demo works too, but does not show what changed. */
function initRepository(dir: string, message: string): void {
  const who = ['-c', 'user.name=Ralph', '-c', 'user.email=ralph@localhost', '-c', 'commit.gpgsign=false']
  const git = (...args: string[]) => execFileSync('git', [...who, ...args], { cwd: dir, stdio: 'ignore' })
  try {
    git('init', '-q')
    git('add', '-A')
    git('commit', '-q', '-m', message)
  } catch {
    return
  }
}

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
