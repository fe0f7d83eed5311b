import { execFileSync } from 'node:child_process'
import { MARK_NAMES, type Marks } from './marks.ts'
import type { ProcessEntry, ProcessTable } from './proc.ts'

const FIELDS = 'pid=,ppid=,pgid=,stat=,lstart='

function ps(...args: string[]): string {
  try {
    return execFileSync('ps', args, {
      encoding: 'utf8',
      env: { PATH: `/usr/bin:/bin:${process.env.PATH ?? ''}`, LC_ALL: 'C' },
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    return ''
  }
}

export function readProcessTable(text: string): ProcessEntry[] {
  return text.split('\n').flatMap(line => {
    const fields = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line)
    if (!fields || fields[4]!.startsWith('Z')) return []
    return { pid: Number(fields[1]), ppid: Number(fields[2]), pgid: Number(fields[3]), startTime: fields[5]! }
  })
}

const NAMES = Object.entries(MARK_NAMES).map(([name, mark]) => ({
  pattern: new RegExp(` ${name}=(\\S*)`),
  mark,
}))

/** The marks in lines of `pid command… NAME=value…`. */
export function readMarked(text: string): { pid: number; marks: Marks }[] {
  return text.split('\n').flatMap(line => {
    const marks: Marks = {}
    for (const { pattern, mark } of NAMES) {
      const value = pattern.exec(line)?.[1]
      if (value !== undefined) marks[mark] = value
    }
    return Object.keys(marks).length > 0 ? { pid: Number.parseInt(line, 10), marks } : []
  })
}

/** For systems without /proc (macOS). Slower, and start times are in whole seconds. */
export const psTable: ProcessTable = {
  entry: pid => readProcessTable(ps('-o', FIELDS, '-p', String(pid)))[0] ?? null,
  list: () => readProcessTable(ps('-axo', FIELDS)),
  pidsSince: () => readProcessTable(ps('-axo', FIELDS)).map(entry => entry.pid),
  newestPid: () => null,
  named: () => null,
  mayMention: () => true,
  hasOpen: () => false,
  terminal: pid => /^[\w/]+/.exec(ps('-o', 'tty=', '-p', String(pid)).trim())?.[0] ?? null,
  *readMarks(among) {
    const wanted = new Set(among)
    for (const found of readMarked(ps('-axEww', '-o', 'pid=,command=')))
      if (wanted.has(found.pid)) yield found
  },
}
