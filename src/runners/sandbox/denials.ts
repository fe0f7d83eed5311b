/**
 * What the sandbox kept something inside from: a host, or a file to write. `call`: which command. Null if that is unknown.
 */
export type Denial = { call: string | null } & ({ host: string; why?: string } | { path: string })

/** What the runtime says if no rule allows a host. Any other reason holds for a host that is allowed, too. */
const NOT_ALLOWED = 'user denied'

/** What is not the disk. The runtime reports writes there, also those that it allows. */
const NO_FILES = /^\/(?:dev|proc|sys)(?:\/|$)/

/**
 * Reads a line of the runtime's about something that it refused. Null if it is about nothing that people can decide.
 * `exists`: whether there is something at a path.
 */
export function readDenial(
  line: string,
  call: string | null,
  exists: (path: string) => boolean,
): Denial | null {
  const [, host, reason] = /^deny network-outbound (.+):\d+ \((.*)\)$/.exec(line) ?? []
  if (host !== undefined) return { call, host, ...(reason !== NOT_ALLOWED && { why: reason }) }
  // On Linux, `deny openat /etc/x`; on macOS, `sh(12) deny(1) file-write-create /etc/x`.
  const [, how = '', path] =
    /^deny (\w+) (\/.*)$/.exec(line) ?? / deny\(\d+\) (file-write\S*) (\/.*)$/.exec(line) ?? []
  if (path === undefined || NO_FILES.test(path)) return null
  // `mkdir -p` tries to make every folder on the way, also those that are there.
  return how.startsWith('mkdir') && exists(path) ? null : { call, path }
}

/** Folders of a home that hold those of many programs. */
const SHARED = new Set(['.cache', '.config', '.local', 'share', 'state'])

/**
 * The folder that a user could let an agent write to: the program's own in the home, else the first two names. A program
 * that writes a thousand files is reported once.
 */
export function grantableFolder(path: string, home: string): string {
  const isHome = path.startsWith(`${home}/`)
  const names = (isHome ? path.slice(home.length) : path).split('/').filter(Boolean)
  const own = isHome ? names.findIndex(name => !SHARED.has(name)) + 1 : 2
  return `${isHome ? home : ''}/${names.slice(0, own).join('/')}`
}
