import { execFileSync } from 'node:child_process'
import type { ProcessEntry, ProcessTable } from './proc.ts'

const FIELDS = 'pid=,ppid=,pgid=,stat=,lstart='

function ps(...args: string[]): string {
  try {
    return execFileSync('ps', args, {
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' },
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    return ''
  }
}

export function readEntries(text: string): ProcessEntry[] {
  return text.split('\n').flatMap(line => {
    const fields = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line)
    if (!fields || fields[4]!.startsWith('Z')) return []
    return { pid: Number(fields[1]), ppid: Number(fields[2]), pgid: Number(fields[3]), startTime: fields[5]! }
  })
}

/** The processes whose line, `pid command… NAME=value…`, contains every mark as a word. */
export function readMarked(text: string, marks: readonly string[]): number[] {
  return text.split('\n').flatMap(line => {
    const words = `${line} `
    return marks.every(mark => words.includes(` ${mark} `)) ? Number.parseInt(line, 10) : []
  })
}

/** For systems without /proc (macOS). Slower, and start times are in whole seconds. */
export const psTable: ProcessTable = {
  entry: pid => readEntries(ps('-o', FIELDS, '-p', String(pid)))[0] ?? null,
  list: () => readEntries(ps('-axo', FIELDS)),
  pidsSince: () => readEntries(ps('-axo', FIELDS)).map(entry => entry.pid),
  findMarks(among, marks) {
    const wanted = new Set(among)
    const marked = readMarked(ps('-axEww', '-o', 'pid=,command='), marks).filter(pid => wanted.has(pid))
    return { marked, blank: [] }
  },
}
