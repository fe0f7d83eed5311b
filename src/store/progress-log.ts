import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { RunEvent } from '../core/events.ts'

/**
 * An append-only log that follows a run's events. A crash can keep the last entry from the file: it is made up for,
 * so that every entry is there exactly once.
 */
export function openProgressLog(
  path: string,
  past: readonly RunEvent[],
  noteOf: (event: RunEvent) => string,
): (event: RunEvent) => void {
  const append = (text: string) => {
    if (text === '') return
    mkdirSync(dirname(path), { recursive: true })
    appendFileSync(path, text)
  }
  let last = ''
  for (const event of past) last = noteOf(event) || last
  if (last !== '' && !read(path).includes(last)) append(last)
  return event => append(noteOf(event))
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
