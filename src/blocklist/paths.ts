import { HOME, MAYBE, SOME } from './shell/shell.ts'

/** Whom a path belongs to, for a command that deletes it or changes all of it. */
export type Place = 'root' | 'system' | 'home' | 'unset' | 'project' | 'above' | 'git' | 'elsewhere'

/** Where a path is read: the absolute path of the project, and the folder that `cd` led to, from there or whole. */
type Where = { cwd: string; project: string }

const SYSTEM =
  'bin boot dev etc lib lib32 lib64 opt proc root sbin srv sys usr var System Library Applications Volumes home Users private'.split(
    ' ',
  )
/** Folders of home that a tool makes again, and those in which programs keep their own. */
const REMADE = /^\.(?:cache|npm|gradle|m2|pnpm-store|yarn|nuget)$/
const CACHES =
  /^\.(?:cache|npm|cargo|gradle|m2|pnpm-store|yarn|bun|nuget|rustup|gem|local|config|vscode|nvm|deno)$/

/** The segments after the root, a home (`~`), a value that may be empty (`$`), or one that is not (`?`). */
type Path = { from: '/' | '~' | '$' | '?'; segments: string[]; folder: boolean }

const isWhole = (path: string): boolean => /^[/\uE002\uE003\uE004]/.test(path)

export const joinPath = (cwd: string, path: string): string =>
  isWhole(path) ? path : `${cwd}/${path}`.slice(-4096)

/** A whole path without `.`, `..`, patterns at its end, and the other spellings of home. */
function read(whole: string): Path {
  const segments: string[] = []
  for (const segment of whole.replace(HOME, `/home/${HOME}`).split('/'))
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  const folder = /\/[.\uE000]*$/.test(whole)
  while (/^\.?\uE000+$/.test(segments.at(-1) ?? '')) segments.pop()
  if (segments[0] === 'private') segments.shift()
  const [first = '', second] = segments
  if (first === MAYBE || first === SOME)
    return { from: first === MAYBE ? '$' : '?', segments: segments.slice(1), folder }
  if (first === 'root') return { from: '~', segments: segments.slice(1), folder }
  if (/^(?:home|Users)$/.test(first) && second !== undefined)
    return { from: '~', segments: segments.slice(2), folder }
  return { from: '/', segments, folder }
}

/** A path, whether it was reached from the project, and its segments inside the project if it is there. */
function locate(text: string, { cwd, project }: Where) {
  const joined = joinPath(cwd, text)
  const isNear = !isWhole(joined)
  const path = read(isNear ? `${project}/${joined}` : joined)
  const start = read(project)
  // By its whole path, a home or the root is no project.
  const isInside = startsWith(path, start) && (start.segments.length > 0 || isNear)
  const inside = isInside ? path.segments.slice(start.segments.length) : null
  // The root is above everything, and so is the folder of all homes above a project in one of them.
  const isTop = path.from === '/' && path.segments.length <= (start.from === '~' ? 1 : 0)
  return { path, isNear, inside, isAbove: isTop || startsWith(start, path) }
}

const startsWith = (path: Path, start: Path): boolean =>
  path.from === start.from && start.segments.every((segment, i) => segment === path.segments[i])

/** Whose this is: a whole tree that nobody meant to give away, or something within one. */
export function placeOf(text: string, where: Where): Place {
  const { path, isNear, inside, isAbove } = locate(text, where)
  if (inside?.length === 0) return 'project'
  if (inside?.[0] === '.git' && !inside.at(-1)!.endsWith('.lock')) return 'git'
  const place = inside !== null || isNear ? 'elsewhere' : placeOutside(path)
  return place === 'elsewhere' && isAbove ? 'above' : place
}

function placeOutside({ from, segments, folder }: Path): Place {
  const [first = '', second = ''] = segments
  switch (from) {
    case '/':
      if (segments.length === 0) return 'root'
      if (first === 'tmp' || (first === 'var' && /^(?:tmp|folders)$/.test(second))) return 'elsewhere'
      // A pattern may mean any of them.
      return segments.length === 1 || SYSTEM.includes(first) || /[[\uE000\uE001]/.test(first)
        ? 'system'
        : 'elsewhere'
    case '~':
      if (segments.length > 1 && (CACHES.test(first) || !first.startsWith('.'))) return 'elsewhere'
      return segments.length === 1 && REMADE.test(first) ? 'elsewhere' : 'home'
    case '$':
      return (segments.length === 0 && folder) || SYSTEM.includes(first) ? 'unset' : 'elsewhere'
    case '?':
      return 'elsewhere'
  }
}

/** The path as rules compare it: as seen from the project, or else `~/…` or `/…`. */
export function plainPath(text: string, where: Where): string {
  const { path, inside } = locate(text, where)
  if (inside !== null && inside.length < path.segments.length) return inside.join('/')
  return (path.from === '/' ? '/' : `${path.from}/`) + path.segments.join('/')
}
