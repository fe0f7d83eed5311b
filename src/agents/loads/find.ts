import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { UsageError } from '../../core/usage-error.ts'
import { LIMITS, readRegularFile, UnreadableFile } from '../../store/files/read.ts'
import { known } from '../index.ts'
import { entriesOf, type LoadedEntry, type LoadedFile } from './entries.ts'

/** More files than this of one kind are not a project's configuration. */
const MOST = 1000

/**
 * What the agents' CLIs would load from a project by themselves, and what that runs or changes. Agents differ from run to
 * run, and one can call another, so the files of all of them count.
 */
export function findLoaded(project: string, home: string | undefined): (LoadedEntry & { file: string })[] {
  const files = new Map<string, LoadedFile>()
  for (const folder of foldersOf(project, home))
    for (const file of [...known.values()].flatMap(cli => cli.loads))
      for (const path of expand(folder, file.path.split('/'))) if (!files.has(path)) files.set(path, file)
  return [...files].flatMap(([path, file]) => {
    const shown = relative(project, path)
    const text = read(path, shown, file)
    return text === null ? [] : entriesOf(file, text).map(entry => ({ file: shown, ...entry }))
  })
}

/** The project and the folders above it, up to that of the repository. The user's own folder belongs to the user. */
function foldersOf(project: string, home: string | undefined): string[] {
  const folders: string[] = []
  for (let folder = project; ; folder = dirname(folder)) {
    if (folder === project || folder !== home) folders.push(folder)
    if (existsSync(join(folder, '.git'))) return folders
    // No repository: the CLIs look in the project only, or farther than ralph can know.
    if (folder === dirname(folder)) return [project]
  }
}

function expand(folder: string, [name, ...rest]: string[]): string[] {
  if (name === undefined) return [folder]
  if (!name.includes('*')) return expand(join(folder, name), rest)
  const [before, after] = name.split('*') as [string, string]
  return namesIn(folder)
    .filter(each => each.startsWith(before) && each.endsWith(after))
    .flatMap(each => expand(join(folder, each), rest))
}

function namesIn(folder: string): string[] {
  let names: string[]
  try {
    names = readdirSync(folder).sort()
  } catch {
    return []
  }
  if (names.length > MOST)
    throw new UsageError(
      `${folder} has more than ${MOST} files that agents may load, so ralph cannot show them all; remove some`,
    )
  return names
}

/**
 * The text of a file, or null if it does not exist or agents cannot read it either. A clone cannot bring a pipe, but
 * some programs that keep secrets offer an environment by one.
 */
function read(path: string, shown: string, { holds }: LoadedFile): string | null {
  try {
    return readRegularFile(path, { limit: LIMITS.small }).toString('utf8')
  } catch (error) {
    const isFine = typeof holds === 'object' && 'variables' in holds ? / folder| pipe/ : / folder/
    if (error instanceof UnreadableFile && !isFine.test(error.why))
      throw new UsageError(`${shown} ${error.why}; agents load it, so ralph must be able to show it`)
    return null
  }
}
