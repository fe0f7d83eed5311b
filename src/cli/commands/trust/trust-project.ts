import { join } from 'node:path'
import { visible } from '../../../core/visible.ts'
import { listRisks, trust } from '../../../host/trust.ts'
import { ralphHome } from '../../../runs/find.ts'
import { projectOf } from '../../../runs/project.ts'
import { loadSettings } from '../../../settings/load.ts'
import { type Risk, risks } from '../../../settings/trust.ts'
import { LIMITS, textAt } from '../../../store/files/read.ts'
import { print } from '../../../terminal/print.ts'
import { parseStories } from '../../../workflows/stories/story-file-sync.ts'
import { STORIES, storyRisks } from '../stories/story-source.ts'

/** Trusts a project without a question, because the user asked for exactly that, and shows what is trusted. */
export function trustProject(dir: string): number {
  const project = projectOf(dir)
  const settings = risks(loadSettings(project, {}).fromFiles)
  const found = [...settings, ...storyRisksOf(project)]
  if (found.length === 0) {
    print(`${visible(project)} has nothing that needs trust.`)
    return 0
  }
  const home = ralphHome(process.env)
  // Only `ralph stories` runs the commands of the stories. For the other commands the settings alone must be trusted.
  if (settings.length > 0) trust(home, project, settings)
  trust(home, project, found)
  print(`Trusted in ${visible(project)}, until it changes:\n${listRisks(found)}`)
  return 0
}

/** The commands of the project's stories. A file that cannot be used runs none. */
function storyRisksOf(project: string): Risk[] {
  const text = textAt(join(project, STORIES, 'tasks.json'), { limit: LIMITS.text })
  const read = text === null ? null : parseStories(text)
  return read && 'file' in read ? storyRisks(STORIES, read.file) : []
}
