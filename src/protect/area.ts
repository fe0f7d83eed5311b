import { join, relative } from 'node:path'
import { type Glob, readGlob } from './glob.ts'

/** What is protected below a folder. */
export type Area = {
  root: string
  globs: Glob[]
  /** Single paths: what is there, or that nothing is there. */
  paths: string[]
  /** Which of the paths is a git configuration: of that, harmless keys may change. */
  config: string | null
  /** Whether the folder as a whole may be removed. */
  mayGo: boolean
}

/** The same as others describe it. */
export type AreaOptions = {
  root: string
  globs?: readonly string[]
  paths?: readonly string[]
  config?: string
  mayGo?: boolean
}

export const readArea = ({ root, globs = [], paths = [], config, mayGo = false }: AreaOptions): Area => ({
  root,
  globs: globs.map(readGlob),
  paths: [...paths, ...(config === undefined ? [] : [config])],
  config: config ?? null,
  mayGo,
})

/** The area that a path belongs to: it is protected there, or it is in the way of what is. */
export const areaOf = (areas: readonly Area[], path: string): Area | undefined =>
  areas.find(area => {
    const within = relative(area.root, path)
    if (within.startsWith('..')) return false
    const parts = within.split('/')
    const above = parts.map((_, at) => parts.slice(0, at + 1).join('/'))
    return (
      [...area.paths, ...area.globs.map(({ base }) => base)].some(
        known => known === within || known.startsWith(`${within}/`),
      ) || area.globs.some(glob => above.some(part => glob.matches(part)))
    )
  })

export const isConfig = ({ root, config }: Area, path: string): boolean =>
  config !== null && join(root, config) === path

/** What makes git run something when it works in a repository, or show something else than there is. */
export const repositoryArea = (gitDir: string): AreaOptions => ({
  root: gitDir,
  globs: ['hooks', 'remotes', 'branches', 'refs/replace'],
  paths: ['config.worktree', 'commondir', 'info/attributes', 'info/grafts', 'objects/info/alternates'],
  config: 'config',
  mayGo: true,
})
