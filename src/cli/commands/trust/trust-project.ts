import { join } from 'node:path'
import { visible } from '../../../core/visible.ts'
import { listRisks, trust } from '../../../host/trust.ts'
import { ralphHome } from '../../../runs/find.ts'
import { projectOf } from '../../../runs/project.ts'
import { loadSettings } from '../../../settings/load.ts'
import { type Risk, risks } from '../../../settings/trust.ts'
import { textAt } from '../../../store/files/regular-file.ts'
import { parseStories } from '../../../workflows/stories/story-file-sync.ts'
import { STORIES, storyRisks } from '../stories/story-source.ts'

/** The user asked for it by name, so it is shown and done. */
export function trustProject(dir: string): number {
  const project = projectOf(dir)
  const settings = risks(loadSettings(project, {}).fromFiles)
  const found = [...settings, ...storiesOf(project)]
  if (found.length === 0) {
    process.stdout.write(`${visible(project)} has nothing that needs trust.\n`)
    return 0
  }
  const home = ralphHome(process.env)
  // Other commands than ralph stories do not run what verifies stories: for them, the settings are all there is.
  if (settings.length > 0) trust(home, project, settings)
  trust(home, project, found)
  process.stdout.write(`Trusted in ${visible(project)}, until it changes:\n${listRisks(found)}\n`)
  return 0
}

/** A story loop's commands are asked about with the rest. A file that cannot be used runs none. */
function storiesOf(project: string): Risk[] {
  const text = textAt(join(project, STORIES, 'tasks.json'))
  const read = text === null ? null : parseStories(text)
  return read && 'file' in read ? storyRisks(STORIES, read.file) : []
}
