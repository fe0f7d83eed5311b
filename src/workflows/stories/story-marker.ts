import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { git } from '../../git/git.ts'
import type { Start } from '../../git/start.ts'
import { forceReplaceFile } from '../../store/files/force-replace.ts'
import type { Marker } from './rules/marker.ts'

const MARKER = '.ralph-active'

/** Hooks and people look here to see whether a story loop is running. */
const pathOf = (project: string): string => join(project, MARKER)

/** Writes the marker, and makes git ignore it, so that an agent that commits everything leaves it out. */
export function storyMarker(project: string, start: Start | null, env: Record<string, string>) {
  let isIgnored = start === null
  return {
    async write(marker: Marker): Promise<void> {
      if (start && !isIgnored && (await git(project, env, ['check-ignore', '-q', MARKER])) === null)
        exclude(start.dirs.common)
      isIgnored = true
      forceReplaceFile(pathOf(project), `${JSON.stringify(marker, null, 2)}\n`)
    },
  }
}

/** Removes the marker, even if it has become a folder. */
export const dropMarker = (project: string): void => rmSync(pathOf(project), { force: true, recursive: true })

/** Ignores the marker in this clone only: .gitignore belongs to the user. */
function exclude(gitDir: string): void {
  const info = join(gitDir, 'info')
  mkdirSync(info, { recursive: true })
  appendFileSync(join(info, 'exclude'), `${MARKER}\n`)
}
