import { delimiter, join, resolve } from 'node:path'
import { isProgram } from '../store/files/own-program.ts'

/** The path of a program: a name is searched on PATH. Null if it is not found or not executable. */
export function findProgram(program: string, path: string): string | null {
  const paths = program.includes('/')
    ? [resolve(program)]
    : path.split(delimiter).map(dir => resolve(join(dir, program)))
  return paths.find(isProgram) ?? null
}
