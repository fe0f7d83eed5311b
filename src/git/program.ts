import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, relative, sep } from 'node:path'

/** By the PATH that was searched. */
const found = new Map<string, string | null>()

/**
 * The git that ralph itself runs; null if there is none. It is searched once, before the first agent starts, because an
 * agent could put another one on PATH. A folder of the project or of installed packages does not count.
 */
export function gitProgram(cwd: string, path = ''): string | null {
  const known = found.get(path)
  if (known !== undefined) return known
  const top = topFolder(cwd)
  const folders = path.split(delimiter).filter(folder => isAbsolute(folder))
  const program = folders
    .map(folder => join(folder, 'git'))
    .find(file => isProgram(file) && !isInside(file, top))
  found.set(path, program ?? null)
  return program ?? null
}

/** The nearest folder with a repository, else the folder itself. */
function topFolder(cwd: string): string {
  const start = real(cwd)
  for (let path = start; ; path = dirname(path)) {
    if (existsSync(join(path, '.git'))) return path
    if (path === dirname(path)) return start
  }
}

function isInside(file: string, top: string): boolean {
  return [file, join(real(dirname(file)), 'git'), real(file)].some(path => {
    const below = relative(top, path)
    return path.split(sep).includes('node_modules') || !(below.startsWith('..') || isAbsolute(below))
  })
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
