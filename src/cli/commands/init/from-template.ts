import { basename, join } from 'node:path'
import { UsageError } from '../../../core/usage-error.ts'
import { enterBranch } from '../../../git/branches/branch.ts'
import { ralphHome } from '../../../runs/find.ts'
import type { Io } from '../../../runs/io.ts'
import { projectOf } from '../../../runs/project.ts'
import { loadSettings } from '../../../settings/load.ts'
import { replaceFile } from '../../../store/files/atomic.ts'
import { actInside, kindAt, makeFolder } from '../../../store/files/inside.ts'
import { type PinnedFolder, pinFolder } from '../../../store/files/pinned.ts'
import { LIMITS, readRegularFile } from '../../../store/files/read.ts'
import { requireWritable } from '../../../store/files/writable.ts'
import { printText } from '../../../terminal/print.ts'
import { gitEnvironment } from '../../../workflows/spec.ts'
import { branchOf, freshStories } from '../../../workflows/stories/rules/templates.ts'
import { type TemplateName, template } from '../../../workflows/stories/templates.ts'
import type { InitOptions, TemplateChoice } from '../../verbs/begin.ts'
import { storyDir } from '../stories/story-source.ts'

const FILE = 'PROMPT.md'

/** `ralph init prompt`: a prompt to start from, in the project's folder. */
export function initPrompt({ projectDir, force }: InitOptions): number {
  const root = pinFolder(projectOf(projectDir, process.env))
  const path = join(root.path, FILE)
  const isThere = kindAt(path) !== null
  if (isThere && !force) throw new UsageError(`${FILE} already exists (use --force to overwrite)`)
  requireWritable(path, 'the prompt is kept there', () =>
    actInside(root, path, entry => replaceFile(entry, template('prompt.md'))),
  )
  printText(`created ${FILE}${isThere ? ' (overwritten)' : ''}`)
  return 0
}

/** `ralph init stories`: makes the folder of a story loop. Overwrites existing files only with --force. */
export async function initStories(options: InitOptions): Promise<number> {
  const { projectDir, name, force, ralphDir } = options
  const project = projectOf(projectDir, process.env)
  const dir = storyDir(project, ralphDir)
  const branch = branchOf(name ?? '')
  const files = freshStories(storyTemplates(), {
    name: name ?? basename(project),
    date: new Date().toISOString().slice(0, 10),
    branch,
  })
  const root = pinFolder(project)
  const there = Object.keys(files).filter(file => kindAt(join(project, dir, file)) !== null)
  if (there.length > 0 && !force)
    throw new UsageError(
      `${dir}/ has ${there.join(', ')} already; nothing was written (--force overwrites them)`,
    )
  const env = gitEnvironment(loadSettings(project, {}, ralphHome(process.env)).settings, process.env)
  const isOnBranch = name !== undefined && (await enterBranch(project, branch, env))
  requireWritable(join(project, dir), 'the stories are kept there', () => {
    makeFolder(root, join(project, dir))
    for (const [file, text] of Object.entries(files))
      actInside(root, join(project, dir, file), entry => replaceFile(entry, text))
    ignoreMarker(root)
  })
  printText(`Created ${dir}/ with ${Object.keys(files).join(', ')}${isOnBranch ? `, on the branch ${branch}` : ''}

Next:
  1. say what you want in ${dir}/prd.md
  2. write the stories to ${dir}/tasks.json, and the commands that verify them to its verifyCommands
     (an agent can do both: ralph plugin install, then /ralph-plan in Claude Code)
  3. commit it all
  4. ralph stories`)
  return 0
}

export const storyTemplates = () => ({
  prd: template('prd.md'),
  tasks: template('tasks.json'),
  progress: template('progress.md'),
  prompt: template('prompt-stories.md'),
})

const MARKER = '.ralph-active'

/** While a loop runs, its marker file is in the project's root, and must not be committed. */
function ignoreMarker(root: PinnedFolder): void {
  const path = join(root.path, '.gitignore')
  const kind = kindAt(path)
  // Git reads no link there, and what it leads to may be a secret.
  if (kind !== 'file' && kind !== null) return
  const text = kind === null ? '' : readRegularFile(path, { limit: LIMITS.text, noLink: true }).toString()
  if (text.split(/\r?\n/).some(line => line.trim() === MARKER)) return
  const added = `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${MARKER}\n`
  actInside(root, path, entry => replaceFile(entry, added))
}

const FILES: Record<TemplateChoice, TemplateName> = {
  prompt: 'prompt.md',
  prd: 'prd.md',
  tasks: 'tasks.json',
  progress: 'progress.md',
  'prompt-stories': 'prompt-stories.md',
}

export function printTemplate(name: TemplateChoice, { stdout }: Io): number {
  stdout.write(template(FILES[name]))
  return 0
}
