import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join, sep } from 'node:path'
import { isWithin, realPath } from './paths.ts'

/**
 * A program that ralph itself relies on, searched on PATH. Null if there is none. What an agent could replace does not
 * count: a file of the project at `cwd`, of the repository around it, or of packages that were installed for a project.
 */
export function ownProgram(name: string, path: string, cwd: string): string | null {
  const top = topFolder(cwd)
  return candidates(name, path).find(file => !isReplaceable(file, top)) ?? null
}

/** One that is on PATH, but does not count. Null if there is none. */
export function replaceableProgram(name: string, path: string, cwd: string): string | null {
  const top = topFolder(cwd)
  return candidates(name, path).find(file => isReplaceable(file, top)) ?? null
}

const candidates = (name: string, path: string): string[] =>
  path
    .split(delimiter)
    .filter(folder => isAbsolute(folder))
    .map(folder => join(folder, name))
    .filter(isProgram)

/** The nearest folder with a repository, else the folder itself. */
function topFolder(cwd: string): string {
  const start = realPath(cwd)
  for (let path = start; ; path = dirname(path)) {
    if (existsSync(join(path, '.git'))) return path
    if (path === dirname(path)) return start
  }
}

function isReplaceable(file: string, top: string): boolean {
  const linked = join(realPath(dirname(file)), basename(file))
  // A program that was installed for everybody may be a link to its package, so that path says nothing.
  const isOfPackages = [file, linked].some(path => path.split(sep).includes('node_modules'))
  return isOfPackages || [file, linked, realPath(file)].some(path => isWithin(top, path))
}

/** Whether a path is a file that can be executed. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
