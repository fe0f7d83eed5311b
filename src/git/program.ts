import { ownProgram } from '../store/files/own-program.ts'

/** By the PATH that was searched. */
const found = new Map<string, string | null>()

/**
 * The git that ralph itself runs; null if there is none. It is searched once, before the first agent starts, because an
 * agent could put another one on PATH.
 */
export function gitProgram(cwd: string, path = ''): string | null {
  const known = found.get(path)
  if (known !== undefined) return known
  const program = ownProgram('git', path, cwd)
  found.set(path, program)
  return program
}
