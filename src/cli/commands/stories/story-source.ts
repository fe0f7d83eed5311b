import { relative, resolve } from 'node:path'
import { firstProblem } from '../../../core/format.ts'
import { parseJson } from '../../../core/json.ts'
import { UsageError } from '../../../core/usage-error.ts'
import { hiddenIn } from '../../../core/visible.ts'
import type { Risk } from '../../../settings/trust.ts'
import { realWithin } from '../../../store/files/paths.ts'
import { readRegularFile } from '../../../store/files/read.ts'
import {
  errorIn,
  isTemplate,
  parseStories,
  type StoriesFile,
} from '../../../workflows/stories/rules/story-file.ts'
import { readInput } from '../run/start-run.ts'

/** The default folder of the stories. */
export const STORIES = 'ralph'

/** The folder with the stories, relative to the project. By its real path, because git does not follow links. */
export function storyDir(project: string, named: string): string {
  const dir = relative(project, resolve(project, named))
  if (dir === '' || dir.startsWith('..'))
    throw new UsageError(`--ralph-dir ${named} is not a folder within ${project}`)
  return realWithin(project, dir) ?? dir
}

/** The story file of a project, valid and with at least one story. */
export function readStoryFile(project: string, dir: string): StoriesFile {
  const path = resolve(project, dir, 'tasks.json')
  const source = readInput(path, `${dir}/tasks.json`, 'make one with: ralph init stories', (path, limit) =>
    readRegularFile(path, { limit }),
  )
  const read = parseStories(source)
  if ('errors' in read && isUntouched(source))
    throw new UsageError(
      `${dir}/tasks.json has no stories yet, only the empty one of the template; give it a title and acceptanceCriteria, and add more, or let an agent write them: /ralph-plan in Claude Code (after ralph plugin install)`,
    )
  if ('errors' in read) throw new UsageError(firstProblem(read.errors.map(error => errorIn(dir, error))))
  if (read.file.userStories.length === 0)
    throw new UsageError(`${dir}/tasks.json has no stories; add some to userStories`)
  return read.file
}

function isUntouched(text: string): boolean {
  try {
    return isTemplate(parseJson(text))
  } catch {
    return false
  }
}

/** An empty command would always be green, and hidden characters would conceal what the user agrees to. */
export function checkCommands(dir: string, { verifyCommands = [] }: StoriesFile): void {
  const blank = verifyCommands.findIndex(command => command.trim() === '')
  if (blank >= 0)
    throw new UsageError(
      `${dir}/tasks.json: verifyCommands[${blank}] is empty and would verify anything; write a command, or take it out`,
    )
  for (const [index, command] of verifyCommands.entries()) {
    const hidden = hiddenIn(command)
    if (hidden !== null)
      throw new UsageError(
        `${dir}/tasks.json: verifyCommands[${index}] must be text without invisible characters (${hidden})`,
      )
  }
}

/** What a story file would make ralph run. */
export const storyRisks = (dir: string, { verifyCommands = [] }: StoriesFile): Risk[] =>
  verifyCommands.map((what, index) => ({ where: `${dir}/tasks.json verifyCommands[${index}]`, what }))
