import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** Where a program is: a path as it stands, a name as PATH leads to it. null where nothing can be executed. */
export function findProgram(program: string, path: string): string | null {
  const places = program.includes('/')
    ? [resolve(program)]
    : path.split(delimiter).map(dir => resolve(join(dir, program)))
  return places.find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
