import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs'
import type { ProcessEntry, ProcessStart, ProcessTable } from './proc.ts'

/** More new pids per millisecond than any machine can assign. */
const MAX_PIDS_PER_MS = 100
/** The parent of the kernel's own threads. */
const KERNEL = '2'

// Indexes of the fields after the name, which is the second of the 52 fields in proc(5).
const STATE = 0
const PPID = 1
const PGID = 2
const START_TIME = 19
const ENVIRON_END = 48

let scratch: Buffer = Buffer.allocUnsafe(64 * 1024)

/** The file's bytes, valid until the next call: thousands of files are read, so they share one buffer. */
function read(path: string): Buffer | null {
  // Most of the files are gone already, and an exception is slower than this call.
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
  // The name in the second field may contain anything, even spaces and parentheses.
  return stat?.toString('latin1', stat.lastIndexOf(')') + 2).split(' ') ?? null
}

function entry(pid: number): ProcessEntry | null {
  const fields = fieldsOf(pid)
  if (!fields || fields[STATE] === 'Z' || fields[STATE] === 'X') return null
  return { pid, ppid: Number(fields[PPID]), pgid: Number(fields[PGID]), startTime: fields[START_TIME] ?? '' }
}

/** Whether one of the NUL-separated entries equals the mark. */
function hasEntry(environ: Buffer, mark: Buffer): boolean {
  for (let at = environ.indexOf(mark); at >= 0; at = environ.indexOf(mark, at + 1)) {
    const end = at + mark.length
    if ((at === 0 || environ[at - 1] === 0) && (end === environ.length || environ[end] === 0)) return true
  }
  return false
}

/** In the middle of an exec the environment has no address yet; an empty one has an address. */
function isInExec(pid: number): boolean {
  const fields = fieldsOf(pid)
  return fields !== null && fields[ENVIRON_END] === '0' && fields[STATE] !== 'Z' && fields[PPID] !== KERNEL
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
  pidsSince: start => {
    const last = lastPid()
    if (start === null || mayHaveWrapped(start, last)) return pids()
    const few = last - start.pid < FEW
    return few
      ? Array.from({ length: last - start.pid + 1 }, (_, i) => start.pid + i)
      : pids().filter(pid => pid >= start.pid)
  },
  findMarks(among, marks) {
    const needles = marks.map(mark => Buffer.from(mark))
    const marked: number[] = []
    const blank: number[] = []
    for (const pid of among) {
      const environ = read(`/proc/${pid}/environ`)
      if (environ === null) continue
      if (environ.length === 0) {
        if (isInExec(pid)) blank.push(pid)
      } else if (needles.every(needle => hasEntry(environ, needle))) marked.push(pid)
    }
    return { marked, blank }
  },
}
