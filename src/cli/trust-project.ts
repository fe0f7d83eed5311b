import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadSettings } from '../settings/load.ts'
import { type Risk, risks } from '../settings/trust.ts'
import { ralphHome } from '../store/runs.ts'
import { projectOf } from './project.ts'
import { readStoryFile, STORIES, storyRisks } from './story-source.ts'
import { listRisks } from './trust-gate.ts'
import { trust } from './trusted.ts'

/** The user asked for it by name, so it is shown and done. */
export function trustProject(dir: string): number {
  const project = projectOf(dir)
  const found = [...risks(loadSettings(project, {}).fromFiles), ...storiesOf(project)]
  if (found.length === 0) {
    process.stdout.write(`${project} has nothing that needs trust.\n`)
    return 0
  }
  trust(ralphHome(process.env), project, found)
  process.stdout.write(`Trusted in ${project}, until it changes:\n${listRisks(found)}\n`)
  return 0
}

/** A story loop's commands are asked about with the rest. */
const storiesOf = (project: string): Risk[] =>
  existsSync(join(project, STORIES, 'tasks.json')) ? storyRisks(STORIES, readStoryFile(project, STORIES)) : []
