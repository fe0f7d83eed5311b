/** More than this is no pattern that anybody wrote, and takes long to read. */
const LONGEST = 1000

const BAD_RANGE =
  'must have ranges of single letters or digits, such as {1..9}, and others written out: {9,10}'

const BAD_GROUP =
  'must have one of ? * + @ before a group (a|b), or "\\" before each "(", "|" and ")" of a name'

const BAD_BRACKETS =
  'must have matching brackets and braces, or "\\" before those of a name, and ranges in order'

/** How picomatch is to read a pattern of files. */
export const GLOB_OPTIONS = {
  // Hidden files are files.
  dot: true,
  // `[!a]` is what it is in a shell, and a `+` after a bracket is a plus.
  posix: true,
  regex: false,
  // `src/*/**` is what lies in such folders, and no file that has such a name.
  strictSlashes: true,
  // What it cannot read is an error. Otherwise it would be a pattern that matches nothing.
  strictBrackets: true,
  debug: true,
  // In its shortcut for simple patterns, `c++*` is a regular expression.
  fastpaths: false,
  // Names may hold line breaks.
  flags: 's',
  // Else `+(a|aa)` would be taken for the name of a file. What takes too long is ended where files are matched.
  maxExtglobRecursion: false,
  // Its own reading of `{1..10}` is `[1-10]`, which is 1 or 0.
  expandRange: (...range: unknown[]): string => {
    const [from, to] = range.slice(0, -1).map(String)
    if (range.length !== 3 || !/^(?:\d\d|[a-z]{2}|[A-Z]{2})$/.test(`${from}${to}`))
      throw new RangeError(BAD_RANGE)
    return from! < to! ? `[${from}-${to}]` : `[${to}-${from}]`
  },
}

/** A pattern as it is matched: a folder is named without its slash, and from the project on. */
export const bareGlob = (pattern: string): string => pattern.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '')

/** A path as the pattern that matches it alone, and all that is in it. */
export const literalGlob = (path: string): string => path.replace(/[\\*?[\]{}()!+@|"]/g, '\\$&')

/** What no pattern may have. Some of it would match nothing, the rest is no glob but a regular expression. */
const REFUSED: readonly [RegExp, string][] = [
  [/^\//, 'must be relative to the project, such as "test/**"'],
  [/(?:^|[/{,(|])\.\.(?:[/},)|]|$)/, 'must stay within the project, without ".."'],
  [/^!|!\(/, 'must say what to protect, not what to leave out with "!"'],
  [/\\/, 'must have "/" between folders, and "\\" only before a special character of a name'],
  [/"/, 'must have "\\" before a double quote'],
  [/\(\?|\)\?(?!\()/, 'must not have "?" right after a parenthesis'],
]

/** What is wrong with a pattern of files, as the end of a sentence. Null if nothing is. `compile` throws where it cannot. */
export function findGlobProblem(pattern: string, compile: (glob: string) => unknown): string | null {
  if (pattern.length > LONGEST) return `must have at most ${LONGEST} characters`
  const unescaped = pattern.replace(/\\[^\w/]/g, '_')
  const refused = REFUSED.find(([what]) => what.test(unescaped))
  if (refused) return refused[1]
  if (/[()|]/.test(withoutGroups(unescaped))) return BAD_GROUP
  const glob = bareGlob(pattern)
  if (glob === '' || glob === '.') return 'must name files or folders of the project'
  try {
    compile(glob)
    return null
  } catch (error) {
    return error instanceof RangeError ? error.message : BAD_BRACKETS
  }
}

function withoutGroups(text: string): string {
  const rest = text.replace(/[?*+@]\([^()]*\)/g, '')
  return rest === text ? text : withoutGroups(rest)
}
