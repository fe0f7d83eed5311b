import { closeSync, existsSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs'
import { MARK_NAMES, type Marks } from './marks.ts'
import type { ProcessEntry, ProcessStart, ProcessTable } from './proc.ts'

/** More new pids per millisecond than any machine can assign. */
const MAX_PIDS_PER_MS = 100
/** The parent of the kernel's own threads. */
const KERNEL = '2'

// Indexes of the fields after the name, which is the second of the 52 fields in proc(5).
const STATE = 0
const PPID = 1
const PGID = 2
const TERMINAL = 4
const START_TIME = 19
const ENVIRON_END = 48

let scratch: Buffer = Buffer.allocUnsafe(64 * 1024)

/**
 * The file's bytes, valid until the next call: thousands of files are read, so they share one buffer. Linux gives each of
 * the files that are read here by one read, if there is room.
 */
function read(path: string): Buffer | null {
  let fd: number | undefined
  try {
    fd = openSync(path, 'r')
    for (;;) {
      const size = readSync(fd, scratch, 0, scratch.length, 0)
      if (size < scratch.length) return scratch.subarray(0, size)
      scratch = Buffer.allocUnsafe(scratch.length * 2)
    }
  } catch {
    return null
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** The newest first, in most cases: they are the ones that may be gone in a moment. */
function pids(): number[] {
  const found: number[] = []
  for (const name of readdirSync('/proc')) {
    const first = name.charCodeAt(0)
    if (first >= 49 && first <= 57) found.push(Number(name))
  }
  return found.reverse()
}

/** The fields of /proc/<pid>/stat from the third on. */
function fieldsOf(pid: number): string[] | null {
  const stat = read(`/proc/${pid}/stat`)
  // The name in the second field may contain anything, even spaces and parentheses.
  return stat?.toString('latin1', stat.lastIndexOf(')') + 2).split(' ') ?? null
}

function entry(pid: number): ProcessEntry | null {
  const fields = fieldsOf(pid)
  if (!fields || fields[STATE] === 'Z' || fields[STATE] === 'X') return null
  return { pid, ppid: Number(fields[PPID]), pgid: Number(fields[PGID]), startTime: fields[START_TIME] ?? '' }
}

const nameOf = (pid: number): string => read(`/proc/${pid}/comm`)?.toString().trimEnd() ?? ''

function hasOpen(pid: number, path: string): boolean {
  const folder = `/proc/${pid}/fd`
  return (orNull(() => readdirSync(folder)) ?? []).some(
    fd => orNull(() => readlinkSync(`${folder}/${fd}`)) === path,
  )
}

/** What an action reads. Null if the file was closed, the process has exited, or it is another user's. */
function orNull<T>(act: () => T): T | null {
  try {
    return act()
  } catch {
    return null
  }
}

const FIRST_LETTERS = Buffer.from('RALPH_')
const NAMES = Object.entries(MARK_NAMES).map(([name, mark]) => ({ start: Buffer.from(`${name}=`), mark }))

/** The marks in NUL-separated entries. Most processes have none. */
function marksIn(environ: Buffer): Marks {
  const marks: Marks = {}
  for (let at = environ.indexOf(FIRST_LETTERS); at >= 0; at = environ.indexOf(FIRST_LETTERS, at + 1)) {
    if (at > 0 && environ[at - 1] !== 0) continue
    const found = NAMES.find(({ start }) => environ.subarray(at, at + start.length).equals(start))
    if (!found) continue
    const end = environ.indexOf(0, at)
    marks[found.mark] ??= environ.toString('utf8', at + found.start.length, end < 0 ? environ.length : end)
  }
  return marks
}

const LOCKS = Buffer.from('Max file locks')

/**
 * The hard limit of file locks of a process. Null if it has none, or if it is not known. It is readable even where the
 * environment is not.
 */
export function readLimit(pid: number | 'self'): string | null {
  const limits = read(`/proc/${pid}/limits`)
  const at = limits?.indexOf(LOCKS) ?? -1
  if (!limits || at < 0) return null
  const [, hard = ''] = limits
    .toString('latin1', at + LOCKS.length, at + 80)
    .trim()
    .split(/\s+/)
  return /^\d+$/.test(hard) ? hard : null
}

/** In the middle of an exec the environment has no address yet; an empty one has an address. */
function isInExec(pid: number): boolean {
  const fields = fieldsOf(pid)
  return fields !== null && fields[ENVIRON_END] === '0' && fields[STATE] !== 'Z' && fields[PPID] !== KERNEL
}

/** The device numbers of pseudo terminals, 256 to each major number, and of the console. */
const PTS_MAJOR = 136
const CONSOLE_MAJOR = 4

/** The minor number is in two parts, as proc(5) says. */
export function terminalName(device: number): string | null {
  if (device === 0) return null
  const major = (device >> 8) & 0xfff
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00)
  if (major >= PTS_MAJOR && major < PTS_MAJOR + 8) return `pts/${(major - PTS_MAJOR) * 256 + minor}`
  return major === CONSOLE_MAJOR && minor < 64 ? `tty${minor}` : `device ${major}:${minor}`
}

let maxPid: number | undefined

/** The pid that was assigned last: the last field of loadavg. */
const lastPid = (): number => Number(read('/proc/loadavg')?.toString('latin1').trim().split(' ').at(-1))

/** Whether the pids may have wrapped around since then. */
function mayHaveWrapped({ pid, at }: ProcessStart, last: number): boolean {
  maxPid ??= Number(read('/proc/sys/kernel/pid_max')?.toString('latin1') ?? 0)
  return performance.now() - at > maxPid / MAX_PIDS_PER_MS || !(last >= pid)
}

/** Up to this many pids are tried one by one, which is faster than listing all processes. */
const FEW = 64

export const procfs: ProcessTable = {
  entry,
  list: () => pids().flatMap(pid => entry(pid) ?? []),
  pidsSince: (start, last) => {
    if (start === null || last === null || mayHaveWrapped(start, last)) return pids()
    const few = last - start.pid < FEW
    return few
      ? Array.from({ length: last - start.pid + 1 }, (_, i) => last - i)
      : pids().filter(pid => pid >= start.pid)
  },
  newestPid: lastPid,
  named: name =>
    pids().flatMap(pid => {
      const found = name.test(nameOf(pid)) ? entry(pid) : null
      return found ? { ...found, folder: orNull(() => readlinkSync(`/proc/${pid}/cwd`)) } : []
    }),
  mayMention: (pid, text) =>
    ['environ', 'cmdline'].some(name => {
      const bytes = read(`/proc/${pid}/${name}`)
      return bytes === null || text.test(bytes.toString())
    }),
  hasOpen: path => pids().some(pid => hasOpen(pid, path)),
  terminal: pid => terminalName(Number(fieldsOf(pid)?.[TERMINAL] ?? 0)),
  *readMarks(among) {
    for (const pid of among) {
      // Most of them are gone already, and an exception is slower than this call.
      if (!existsSync(`/proc/${pid}`)) continue
      const environ = read(`/proc/${pid}/environ`)
      const marks = environ === null ? {} : marksIn(environ)
      if (environ?.length === 0 && isInExec(pid)) yield { pid, marks: null }
      const limit = readLimit(pid)
      if (limit !== null) marks.limit = limit
      if (Object.keys(marks).length > 0) yield { pid, marks }
    }
  },
}
