import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { isWithin } from '../store/files/paths.ts'
import { LIMITS, textAt } from '../store/files/read.ts'
import { type AreaOptions, repositoryArea } from './area.ts'
import { type ConfigTool, includedPaths, readConfigEntries } from './git-config.ts'
import type { WorkTree } from './inner-repositories.ts'

/** Included files may include others. */
const MAX_INCLUDES = 20

/** What is protected of git's common folder, which all work trees of a repository share. */
export const commonArea = ({ dirs }: WorkTree): AreaOptions => ({
  ...repositoryArea(dirs.common),
  mayGo: false,
})

/** What is protected of git for one work tree. Its `.git` is a folder, or a file that leads to one. */
export function workTreeAreas({ root, dirs }: WorkTree): AreaOptions[] {
  const isFile = lstatSync(join(root, '.git'), { throwIfNoEntry: false })?.isFile()
  return [
    ...(isFile ? [{ root, paths: ['.git'] }] : []),
    ...(dirs.own === dirs.common ? [] : [linkedArea(dirs.own)]),
  ]
}

const linkedArea = (root: string): AreaOptions => ({
  root,
  paths: ['commondir', 'gitdir', 'config.worktree'],
  mayGo: true,
})

/** What else leads git to a configuration: the other work trees, and the files that the common one includes. */
export async function moreGitAreas(start: WorkTree, tool: ConfigTool): Promise<AreaOptions[]> {
  const { root, dirs } = start
  const trees = join(dirs.common, 'worktrees')
  const linked = existsSync(trees) ? readdirSync(trees).map(name => linkedArea(join(trees, name))) : []
  const included = await includedFiles(join(dirs.common, 'config'), tool)
  return [
    ...linked,
    ...included.flatMap(file => {
      const folder = [dirs.common, root].find(folder => isWithin(folder, file))
      return folder === undefined ? [] : [{ root: folder, paths: [relative(folder, file)] }]
    }),
  ]
}

/** Git starts only if the text seems to include something. */
async function includedFiles(config: string, tool: ConfigTool): Promise<string[]> {
  const found = new Set<string>()
  const pending = [config]
  for (let file = pending.pop(); file !== undefined && found.size < MAX_INCLUDES; file = pending.pop()) {
    const text = textAt(file, { limit: LIMITS.small })
    if (text === null || !/include/i.test(text)) continue
    for (const path of includedPaths((await readConfigEntries(tool, text)) ?? [])) {
      const included = resolve(dirname(file), path)
      // One in the home folder is not of this project.
      if (path.startsWith('~') || found.has(included)) continue
      found.add(included)
      pending.push(included)
    }
  }
  return [...found]
}
