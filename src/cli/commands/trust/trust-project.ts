import { join } from 'node:path'
import { visible } from '../../../core/visible.ts'
import { isTrusted, listRisks, projectRisks, rememberTrust } from '../../../host/trust.ts'
import { ralphHome } from '../../../runs/find.ts'
import { projectOf } from '../../../runs/project.ts'
import { refuseFromWithinAny } from '../../../runs/within.ts'
import { loadSettings } from '../../../settings/load.ts'
import type { Risk } from '../../../settings/trust.ts'
import { LIMITS, textAt } from '../../../store/files/read.ts'
import { print, printText } from '../../../terminal/print.ts'
import { parseStories } from '../../../workflows/stories/rules/story-file.ts'
import { STORIES, storyRisks } from '../stories/story-source.ts'

/** Trusts a project without a question, because the user asked for exactly that, and shows what is trusted. */
export function trustProject(dir: string | undefined): number {
  const project = projectOf(dir, process.env)
  const home = ralphHome(process.env)
  refuseFromWithinAny(home, process.env, 'trust a project')
  const common = projectRisks(project, loadSettings(project, {}).fromFiles, process.env)
  const found = [...common, ...storyRisksOf(project)]
  // Only `ralph stories` runs the commands of the stories. For the other commands the rest alone must be trusted.
  if (!isTrusted(home, project, common) || !isTrusted(home, project, found))
    rememberTrust(home, project, common, found)
  if (found.length === 0) {
    printText(`${visible(project)} has nothing that needs trust.`)
    return 0
  }
  print(
    `Trusted in ${visible(project)}, until it changes:\n${listRisks(found, process.stdout.isTTY ? process.stdout.columns || 80 : null)}`,
  )
  return 0
}

/** The commands of the project's stories. A file that cannot be used runs none. */
function storyRisksOf(project: string): Risk[] {
  const text = textAt(join(project, STORIES, 'tasks.json'), { limit: LIMITS.text })
  const read = text === null ? null : parseStories(text)
  return read && 'file' in read ? storyRisks(STORIES, read.file) : []
}
