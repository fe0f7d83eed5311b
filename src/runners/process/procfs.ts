import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs'
import type { Birth, Entry, ProcessTable } from './proc.ts'

/** More process numbers per millisecond than any machine hands out. */
const NUMBERS_PER_MS = 100
/** The parent of the kernel's own threads. */
const KERNEL = '2'

// Places after the name, which is the second of the 52 fields that proc(5) lists.
const STATE = 0
const PPID = 1
const PGID = 2
const START_TIME = 19
const ENVIRON_END = 48

let scratch: Buffer = Buffer.allocUnsafe(64 * 1024)

/** The file's bytes, valid until the next call: thousands of these are read, so the room is shared. */
function read(path: string): Buffer | null {
  // Most are gone already, and an exception costs more than the question.
  if (!existsSync(path)) return null
  let fd: number | undefined
  try {
    fd = openSync(path, 'r')
    let size = 0
    for (;;) {
      if (size === scratch.length) scratch = Buffer.concat([scratch], size * 2)
      const got = readSync(fd, scratch, size, scratch.length - size, null)
      if (got === 0) return scratch.subarray(0, size)
      size += got
    }
  } catch {
    return null
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

function pids(): number[] {
  const found: number[] = []
  for (const name of readdirSync('/proc')) {
    const first = name.charCodeAt(0)
    if (first >= 49 && first <= 57) found.push(Number(name))
  }
  return found
}

/** The fields of /proc/<pid>/stat from the third on. */
function fieldsOf(pid: number): string[] | null {
  const stat = read(`/proc/${pid}/stat`)
  // The name in the second field may hold anything, blanks and parentheses included.
  return stat?.toString('latin1', stat.lastIndexOf(')') + 2).split(' ') ?? null
}

function entry(pid: number): Entry | null {
  const fields = fieldsOf(pid)
  if (!fields || fields[STATE] === 'Z' || fields[STATE] === 'X') return null
  return { pid, ppid: Number(fields[PPID]), pgid: Number(fields[PGID]), startTime: fields[START_TIME] ?? '' }
}

/** Whether one of the NUL-separated entries is the mark, and not merely contains it. */
function holds(environ: Buffer, mark: Buffer): boolean {
  for (let at = environ.indexOf(mark); at >= 0; at = environ.indexOf(mark, at + 1)) {
    const end = at + mark.length
    if ((at === 0 || environ[at - 1] === 0) && (end === environ.length || environ[end] === 0)) return true
  }
  return false
}

/** In the middle of an exec the environment has no place yet; one that is merely empty has. */
function isBecoming(pid: number): boolean {
  const fields = fieldsOf(pid)
  return fields !== null && fields[ENVIRON_END] === '0' && fields[STATE] !== 'Z' && fields[PPID] !== KERNEL
}

let numbers: number | undefined

/** The number given out last: the last field of loadavg. */
const lastGiven = (): number => Number(read('/proc/loadavg')?.toString('latin1').trim().split(' ').at(-1))

/** Whether the numbers may have started again from below since then. */
function mayHaveWrapped({ pid, at }: Birth, last: number): boolean {
  numbers ??= Number(read('/proc/sys/kernel/pid_max')?.toString('latin1') ?? 0)
  return performance.now() - at > numbers / NUMBERS_PER_MS || !(last >= pid)
}

/** So few numbers are tried one by one: cheaper than to list all there are. */
const FEW = 64

export const procfs: ProcessTable = {
  entry,
  list: () => pids().flatMap(pid => entry(pid) ?? []),
  pidsSince: birth => {
    const last = lastGiven()
    if (birth === null || mayHaveWrapped(birth, last)) return pids()
    const few = last - birth.pid < FEW
    return few
      ? Array.from({ length: last - birth.pid + 1 }, (_, i) => birth.pid + i)
      : pids().filter(pid => pid >= birth.pid)
  },
  look(among, marks) {
    const needles = marks.map(mark => Buffer.from(mark))
    const marked: number[] = []
    const blank: number[] = []
    for (const pid of among) {
      const environ = read(`/proc/${pid}/environ`)
      if (environ === null) continue
      if (environ.length === 0) {
        if (isBecoming(pid)) blank.push(pid)
      } else if (needles.every(needle => holds(environ, needle))) marked.push(pid)
    }
    return { marked, blank }
  },
}
