import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { fold } from '../../../core/evolve.ts'
import { listPaths } from '../../../core/format.ts'
import type { Env } from '../../../core/ports.ts'
import { UsageError } from '../../../core/usage-error.ts'
import { attempt, git } from '../../../git/git.ts'
import { canGoOn, ralphHome, runsIn, type StoredRun } from '../../../runs/find.ts'
import { isLive } from '../../../runs/live.ts'
import { projectOf } from '../../../runs/project.ts'
import { loadSettings } from '../../../settings/load.ts'
import { replaceFile } from '../../../store/files/atomic.ts'
import { actInside, kindAt, makeFolder } from '../../../store/files/inside.ts'
import { type PinnedFolder, pinFolder } from '../../../store/files/pinned.ts'
import { LIMITS, textAt } from '../../../store/files/read.ts'
import { requireWritable } from '../../../store/files/writable.ts'
import { printText, warn } from '../../../terminal/print.ts'
import { gitEnvironment } from '../../../workflows/spec.ts'
import type { StoriesFile } from '../../../workflows/stories/rules/story-file.ts'
import {
  archiveSummary,
  branchOf,
  freshStories,
  type LoopFacts,
} from '../../../workflows/stories/rules/templates.ts'
import { storyFilePath, storyLinks } from '../../../workflows/stories/story-file-place.ts'
import { storiesWorkflow } from '../../../workflows/stories/workflow.ts'
import { isOf } from '../../../workflows/traits.ts'
import type { ArchiveOptions } from '../../verbs/upkeep.ts'
import { storyTemplates } from '../init/from-template.ts'
import { isCutOff, latestStories } from '../stories/restore-stories.ts'
import { readStoryFile, storyDir } from '../stories/story-source.ts'

const LIST = 'tasks.json'
const MOVED = ['prd.md', LIST, 'progress.txt']
const ARCHIVE = 'ralph-archive'

/** `ralph archive`: moves the files of a story loop to a folder of their own, so that the next loop can begin. */
export async function archiveStories(options: ArchiveOptions): Promise<number> {
  const project = projectOf(options.projectDir, process.env)
  const dir = storyDir(project, options.ralphDir)
  const file = readStoryFile(project, dir)
  const runs = runsIn(ralphHome(process.env), project).filter(run => isOf(storiesWorkflow, run))
  const live = runs.find(isLive)
  if (live)
    throw new UsageError(
      `run ${live.id} is at work on these stories; wait for it, or: ralph cancel ${live.id}`,
    )
  const cut = latestStories(project, dir)
  if (cut && canGoOn(cut.events) && isCutOff(cut))
    throw new UsageError(
      `run ${cut.id} was cut off, and what was written since was not verified; first ${cut.began.project === project ? `continue with: ralph resume ${cut.id}` : 'start a new run with: ralph stories'}`,
    )
  const open = file.userStories.filter(story => !story.passes).map(story => story.id)
  if (open.length > 0 && !options.force)
    throw new UsageError(
      `${listPaths(open)} not completed; continue with ralph stories, or archive anyway with --force`,
    )
  const date = new Date().toISOString().slice(0, 10)
  const to = freeFolder(project, `${date}-${nameOf(options.label ?? file.branchName)}`)
  const root = pinFolder(project)
  const places = placesOf(root, dir)
  const env = gitEnvironment(loadSettings(project, {}, ralphHome(process.env)).settings, process.env)
  const ignored = await ignoredAmong(
    project,
    env,
    places.map(({ path }) => path),
  )
  requireWritable(join(project, to), 'archives are kept there', () => makeFolder(root, join(project, to)))
  const moved = places.filter(({ name, path }) => move(root, path, join(to, name)))
  const summary = archiveSummary(file, date, factsOf(runs.filter(isForStories(file))))
  actInside(root, join(project, to, 'summary.md'), entry => replaceFile(entry, summary))
  const fresh = writeFreshFiles(root, dir, places, file, date)
  // What git ignored is the user's own, in the archive too.
  const paths = [
    join(to, 'summary.md'),
    ...moved.filter(({ path }) => !ignored.has(path)).map(({ name }) => join(to, name)),
    ...fresh.filter(path => !ignored.has(path)),
  ]
  const committed = await commit(project, env, paths, `ralph: archive ${file.project || dir}`)
  if (typeof committed === 'string') warn(`not committed: ${committed}`)
  printText(
    `Archived to ${to}/${committed === true ? ', and committed' : ''}; ${dir}/ is ready for the next loop.`,
  )
  return 0
}

/** Runs on these stories, not on those of an earlier loop in the same folder. */
const isForStories =
  (file: StoriesFile) =>
  ({ began }: StoredRun): boolean =>
    storiesWorkflow.readSpec(began.pins).file.branchName === file.branchName

function factsOf(runs: readonly StoredRun[]): LoopFacts {
  if (runs.length === 0) return null
  const times = runs.flatMap(({ events }) => [events[0]!.at, events.at(-1)!.at])
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const states = runs.map(({ events }) => fold(events).state)
  return {
    from: day(Math.min(...times)),
    to: day(Math.max(...times)),
    runs: runs.length,
    iterations: states.reduce((sum, { n }) => sum + n, 0),
    usd: states.reduce((sum, { spent }) => sum + spent.usd, 0),
  }
}

const nameOf = (label: string) => branchOf(label.replace(/^ralph\//, '')).slice('ralph/'.length)

function freeFolder(project: string, name: string): string {
  let n = 1
  const at = () => `${ARCHIVE}/${name}${n > 1 ? `-${n}` : ''}`
  while (existsSync(join(project, at()))) n++
  return at()
}

type Place = { name: string; path: string }

/**
 * The files to archive, relative to the project. A link among them could lead to a secret, and archives are committed. Only
 * tasks.json may be a link, to a file of the project, which is then moved itself.
 */
function placesOf({ path: project }: PinnedFolder, dir: string): Place[] {
  const links = storyLinks(project, dir)
  if (links.outside !== undefined)
    throw new UsageError(`${dir} leads out of the project, to ${links.outside}; archive it there by hand`)
  const places = MOVED.map(name => ({
    name,
    path: name === LIST ? storyFilePath(project, { dir, ...links }) : join(dir, name),
  }))
  for (const { path } of places) {
    const kind = kindAt(join(project, path))
    if (kind !== 'file' && kind !== null)
      throw new UsageError(
        `${path} is ${kind === 'link' ? 'a symbolic link' : 'not a file'}; put a file in its place, then archive`,
      )
  }
  return places
}

/** Returns false if there is nothing to move. */
function move(root: PinnedFolder, from: string, to: string): boolean {
  return actInside(root, join(root.path, from), source => {
    if (kindAt(source) !== 'file') return false
    actInside(root, join(root.path, to), target => renameSync(source, target))
    return true
  })
}

/** Writes fresh files for the next loop and returns their paths. The prompt is the user's own, so it stays. */
function writeFreshFiles(
  root: PinnedFolder,
  dir: string,
  places: Place[],
  file: StoriesFile,
  date: string,
): string[] {
  const fresh = freshStories(storyTemplates(), { name: file.project, date, branch: branchOf('') })
  const path = join(dir, 'prompt.md')
  const prompt = join(root.path, path)
  const hasPrompt = existsSync(prompt) && textAt(prompt, { limit: LIMITS.text })?.trim() !== ''
  const written = [...places, ...(hasPrompt ? [] : [{ name: 'prompt.md', path }])]
  for (const { name, path } of written)
    actInside(root, join(root.path, path), entry => replaceFile(entry, fresh[name]!))
  return written.map(({ path }) => path)
}

/** The paths that git ignores. None outside a repository. */
async function ignoredAmong(project: string, env: Env, paths: string[]): Promise<Set<string>> {
  const ignored = await git(project, env, ['check-ignore', '-z', '--stdin'], paths.join('\0'))
  return new Set(ignored?.split('\0').filter(Boolean))
}

/**
 * Commits only what was archived and written afresh, because other files in the folder may have edits by the user.
 * Returns true, or why it failed, or false outside a repository.
 */
async function commit(
  project: string,
  env: Env,
  paths: string[],
  message: string,
): Promise<boolean | string> {
  if ((await git(project, env, ['rev-parse', '--git-dir'])) === null) return false
  const steps = [
    ['add', '-A'],
    ['commit', '--quiet', '--no-verify', '--only', '-m', message],
  ]
  for (const step of steps) {
    const failure = await attempt(project, env, ['--literal-pathspecs', ...step, '--', ...paths])
    if (failure !== null) return failure
  }
  return true
}
