import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { isWithin } from '../store/files/paths.ts'
import { LIMITS, readRegularFile } from '../store/files/read.ts'

/** Where what a restore replaces or removes is kept: it may be a person's work. */
export interface SetAside {
  /** The folder that holds what was moved since the last call of `begin`. Null if nothing was. */
  folder(): string | null
  begin(): void
  /** Moves what is at `entry` away. `path` is its real path, which gives its name. */
  move(entry: string, path: string): void
}

/** More than this is not copied to another disk. */
const MAX_COPIES = 5000

/** Keeps things in numbered folders below this one, named as in the project. */
export function setAside(project: string, parent: string): SetAside {
  let folder: string | null = null
  const open = () => {
    mkdirSync(parent, { recursive: true, mode: 0o700 })
    const numbers = readdirSync(parent).map(Number).filter(Number.isInteger)
    const made = join(parent, String(Math.max(0, ...numbers) + 1))
    mkdirSync(made, { mode: 0o700 })
    return made
  }
  return {
    folder: () => folder,
    begin() {
      folder = null
    },
    move(entry, path) {
      folder ??= open()
      const name = isWithin(project, path) ? relative(project, path) : `outside${path}`
      const to = freeName(join(folder, name))
      mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
      try {
        renameSync(entry, to)
      } catch {
        // Another disk, or a folder whose permissions forbid to move it.
        copy(entry, to)
        rmSync(entry, { recursive: true, force: true })
      }
    },
  }
}

/** One restore may move several things from the same path. */
function freeName(path: string): string {
  let name = path
  for (let n = 2; lstatSync(name, { throwIfNoEntry: false }); n++) name = `${path}.${n}`
  return name
}

/** As much as is readable and not too large or too many. Returns how many more may be copied. */
function copy(from: string, to: string, room = MAX_COPIES): number {
  if (room <= 0) return 0
  try {
    const stat = lstatSync(from)
    if (stat.isSymbolicLink()) symlinkSync(readlinkSync(from), to)
    if (stat.isFile())
      writeFileSync(to, readRegularFile(from, { limit: LIMITS.text, noLink: true }), { flag: 'wx' })
    if (!stat.isDirectory()) return room - 1
    mkdirSync(to, { mode: 0o700 })
    return readdirSync(from).reduce((left, name) => copy(join(from, name), join(to, name), left), room - 1)
  } catch {
    return room - 1
  }
}
