import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../../git/git.ts'
import type { Start } from '../../git/start.ts'
import { putFile } from '../../store/files/put-file.ts'
import type { Marker } from './rules/marker.ts'

const MARKER = '.ralph-active'

/** Where hooks and people see that a story loop is at work. */
const pathOf = (project: string): string => join(project, MARKER)

/** Writes the marker; an agent that commits everything does not commit it. */
export function storyMarker(project: string, start: Start | null, env: Record<string, string>) {
  let isIgnored = start === null
  return {
    async write(marker: Marker): Promise<void> {
      if (start && !isIgnored && (await git(project, env, ['check-ignore', '-q', MARKER])) === null)
        exclude(start.dirs.common)
      isIgnored = true
      putFile(pathOf(project), `${JSON.stringify(marker, null, 2)}\n`)
    },
  }
}

/** Whatever became of it meanwhile. */
export const dropMarker = (project: string): void => rmSync(pathOf(project), { force: true, recursive: true })

/** For this clone alone: what the repository says is the user's to write. */
function exclude(gitDir: string): void {
  const info = join(gitDir, 'info')
  mkdirSync(info, { recursive: true })
  appendFileSync(join(info, 'exclude'), `${MARKER}\n`)
}
