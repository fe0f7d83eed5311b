import picomatch from 'picomatch'
import { bareGlob, GLOB_OPTIONS } from '../core/glob.ts'

/** A file pattern, compiled once because it is matched twice in every iteration. */
export type Glob = {
  pattern: string
  /** The folder that contains everything that can match. Without wildcards, the only path that matches. */
  base: string
  /** Whether it matches this path. A folder that matches includes everything in it. */
  matches(path: string): boolean
  /** Whether something in a folder that does not match could match. Other folders are skipped. */
  mayHold(folder: string): boolean
  /** Whether a hostile file name could make matching take very long. One star alone cannot. */
  canBacktrack: boolean
}

/** Words, and at most a star after the last: as ralph's own patterns are. */
const SIMPLE = /^[\w./-]*[\w-]\*?$/

/** Simple patterns without picomatch, which most runs then need not load. */
function compile(glob: string): (path: string) => boolean {
  if (!SIMPLE.test(glob)) return picomatch(glob, GLOB_OPTIONS)
  if (!glob.endsWith('*')) return path => path === glob
  const start = glob.slice(0, -1)
  return path => path.startsWith(start) && !path.includes('/', start.length)
}

export function readGlob(pattern: string): Glob {
  const glob = bareGlob(pattern)
  const parts = glob.split('/')
  const special = parts.findIndex(part => /[\\*?[{(]/.test(part))
  if (special < 0)
    return { pattern, base: glob, matches: path => path === glob, mayHold: () => false, canBacktrack: false }
  return {
    pattern,
    base: parts.slice(0, special).join('/'),
    matches: compile(glob),
    mayHold: folderMatcher(parts),
    canBacktrack: /[[{(]|\*[^*]+\*/.test(glob),
  }
}

/** While each part of a pattern means one folder, a folder must match the parts up to its own depth. */
function folderMatcher(parts: string[]): (folder: string) => boolean {
  const openEnd = parts.findIndex(part => part.includes('**') || !isComplete(part))
  const levels = (openEnd < 0 ? parts : parts.slice(0, openEnd)).map((_, index) =>
    compile(parts.slice(0, index + 1).join('/')),
  )
  return folder => {
    const depth = folder.split('/').length
    return depth > levels.length ? openEnd >= 0 : levels[depth - 1]!(folder)
  }
}

/** Whether a part is a pattern by itself; one that was cut out of a group with a slash, `{a/b,c}`, is not. */
function isComplete(part: string): boolean {
  try {
    compile(part)
    return true
  } catch {
    return false
  }
}
