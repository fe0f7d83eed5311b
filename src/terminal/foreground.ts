import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether this process may read from its terminal. If it tried in the background, SIGTTIN would stop the whole run. */
export function isForeground(): boolean {
  try {
    const [group, terminal] = process.platform === 'linux' ? fromProc() : fromPs()
    return group !== undefined && group === terminal
  } catch {
    return false
  }
}

/** `pid (name) state ppid pgrp session tty tpgid …`; the name may contain anything. */
function fromProc(): (string | undefined)[] {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)!.split(' ')
  return [fields[2], fields[5]]
}

const fromPs = (): (string | undefined)[] =>
  execFileSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
