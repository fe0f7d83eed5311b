import picomatch from 'picomatch'
import { bareGlob, findGlobProblem, GLOB_OPTIONS } from '../core/glob.ts'
import { quote } from '../core/quote.ts'
import { UsageError } from '../core/usage-error.ts'

/** All there is to know of a pattern of files, found out once: it is matched twice in every iteration. */
export type Glob = {
  pattern: string
  /** The folder below which everything lies that can match, or the one file or folder that does. */
  base: string
  /** Whether it means this very path. A folder that it means stands for everything in it. */
  matches(path: string): boolean
  /** Whether something in a folder that does not match itself could: what cannot is not walked. */
  mayHold(folder: string): boolean
  /** Whether a hostile name could make it take for ever: with one star, there is nothing to try again. */
  canBacktrack: boolean
}

const compile = (glob: string) => picomatch(glob, GLOB_OPTIONS)

/** Throws a UsageError for a pattern that cannot be read: a run that began long ago may have one. */
export function readGlob(pattern: string): Glob {
  const problem = findGlobProblem(pattern, compile)
  if (problem !== null)
    throw new UsageError(
      `a pattern in "protect" ${problem}, not ${quote(pattern)}; begin a new run without it`,
    )
  const glob = bareGlob(pattern)
  const parts = glob.split('/')
  const special = parts.findIndex(part => /[\\*?[{(]/.test(part))
  if (special < 0)
    return { pattern, base: glob, matches: path => path === glob, mayHold: () => false, canBacktrack: false }
  return {
    pattern,
    base: parts.slice(0, special).join('/'),
    matches: compile(glob),
    mayHold: holder(parts),
    canBacktrack: /[[{(]|\*[^*]+\*/.test(glob),
  }
}

/** As deep as each part of a pattern is one folder, a folder must match the parts so far. */
function holder(parts: string[]): (folder: string) => boolean {
  const deep = parts.findIndex(part => part.includes('**') || !isWhole(part))
  const known = (deep < 0 ? parts : parts.slice(0, deep)).map((_, at) =>
    compile(parts.slice(0, at + 1).join('/')),
  )
  return folder => {
    const depth = folder.split('/').length
    return depth > known.length ? deep >= 0 : known[depth - 1]!(folder)
  }
}

/** Not so where a group holds a slash: `{a/b,c}`. */
function isWhole(part: string): boolean {
  try {
    compile(part)
    return true
  } catch {
    return false
  }
}
