import { ANY, HOME, MAYBE, SOME, STAR } from './shell/shell.ts'

/** Whom a path belongs to, for a command that deletes it or changes all of it. */
export type Place = 'root' | 'system' | 'home' | 'unset' | 'project' | 'above' | 'git' | 'elsewhere'

const SYSTEM =
  'bin boot dev etc lib lib32 lib64 opt proc root sbin srv sys usr var System Library Applications Volumes home Users private'.split(
    ' ',
  )
/** Folders of home that a tool makes again, and those in which programs keep their own. */
const REMADE = /^\.(?:cache|npm|gradle|m2|pnpm-store|yarn|nuget)$/
const CACHES =
  /^\.(?:cache|npm|cargo|gradle|m2|pnpm-store|yarn|bun|nuget|rustup|gem|local|config|vscode|nvm|deno)$/

type Path = { from: '/' | '~' | '$' | '.'; segments: string[]; folder: boolean }

/** A path without `.`, `..` and the other spellings of home. */
function read(path: string, cwd: string): Path {
  const whole = /^[/\uE002\uE003\uE004]/.test(path) ? path : `${cwd}/${path}`
  const segments: string[] = []
  const absolute = whole.startsWith('/')
  for (const segment of whole.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment === '..' && segments.length > 0 && segments.at(-1) !== '..') segments.pop()
    else if (segment !== '..' || !absolute) segments.push(segment)
  }
  const folder = /\/[.\uE000]*$/.test(whole)
  while (segments.length > 0 && /^\.?[\uE000]+$/.test(segments.at(-1)!)) segments.pop()
  if (!absolute) {
    const [first = '', ...rest] = segments
    if (first === HOME) return { from: '~', segments: rest, folder }
    if (first === MAYBE) return { from: '$', segments: rest, folder }
    return { from: '.', segments, folder }
  }
  if (segments[0] === 'private') segments.shift()
  if (segments[0] === 'root') return { from: '~', segments: segments.slice(1), folder }
  if (/^(?:home|Users)$/.test(segments[0] ?? '') && segments.length > 1)
    return { from: '~', segments: segments.slice(2), folder }
  return { from: '/', segments, folder }
}

/** Whose this is: a whole tree that nobody meant to give away, or something within one. */
export function placeOf(path: string, cwd: string): Place {
  const { from, segments, folder } = read(path, cwd)
  const [first = ''] = segments
  switch (from) {
    case '/':
      if (segments.length === 0) return 'root'
      if (first === 'tmp' || (first === 'var' && /^(?:tmp|folders)$/.test(segments[1] ?? '')))
        return 'elsewhere'
      return segments.length === 1 || SYSTEM.some(name => couldBe(first, name)) ? 'system' : 'elsewhere'
    case '~':
      if (segments.length > 1 && (CACHES.test(first) || !first.startsWith('.'))) return 'elsewhere'
      return segments.length === 1 && REMADE.test(first) ? 'elsewhere' : 'home'
    case '$':
      if (segments.length === 0) return folder ? 'unset' : 'elsewhere'
      return placeOf(`/${segments.join('/')}`, '/') === 'system' && SYSTEM.includes(first)
        ? 'unset'
        : 'elsewhere'
    case '.':
      if (segments.every(segment => segment === '..')) return segments.length === 0 ? 'project' : 'above'
      return first === '.git' && !/\.lock$/.test(segments.at(-1)!) ? 'git' : 'elsewhere'
  }
}

/** The path as rules compare it: `~/…` for home, `/…`, or as seen from the project. */
export function plainPath(path: string, cwd: string): string {
  const { from, segments } = read(path, cwd)
  const start = { '/': '/', '~': '~/', $: '$/', '.': '' }[from]
  return start + segments.join('/')
}

export const joinPath = (cwd: string, path: string): string => {
  if (path === '~') return HOME
  if (path === '-') return SOME
  return /^[/\uE002\uE003\uE004]/.test(path) ? path : `${cwd}/${path}`.slice(-4096)
}

/** Whether a segment with patterns in it can mean this name. */
export function couldBe(segment: string, name: string): boolean {
  if (segment === name) return true
  if (!segment.includes(STAR) && !segment.includes(ANY) && !segment.includes('[')) return false
  return glob(segment.replace(/\[[^\]]{1,64}\]/g, ANY), name)
}

/** Two pointers and one place to return to: at most the product of both lengths, and names are short. */
function glob(pattern: string, name: string): boolean {
  let p = 0
  let n = 0
  let star = -1
  let mark = 0
  while (n < name.length) {
    if (pattern[p] === STAR) {
      star = p++
      mark = n
    } else if (p < pattern.length && (pattern[p] === ANY || pattern[p] === name[n])) {
      p++
      n++
    } else if (star >= 0) {
      p = star + 1
      n = ++mark
    } else return false
  }
  while (pattern[p] === STAR) p++
  return p === pattern.length
}
