import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** The path of a program: a name is searched on PATH. null if it is not found or not executable. */
export function findProgram(program: string, path: string): string | null {
  const paths = program.includes('/')
    ? [resolve(program)]
    : path.split(delimiter).map(dir => resolve(join(dir, program)))
  return paths.find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
