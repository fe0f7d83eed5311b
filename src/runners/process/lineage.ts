import type { Marks } from './marks.ts'
import { type ProcessEntry, processes } from './proc.ts'

/** This process and all that it descends from, itself first, as far as they are still there. */
export function lineage(): ProcessEntry[] {
  const found: ProcessEntry[] = []
  let entry = processes.entry(process.pid)
  // A pid that was taken again could lead back to where it began.
  while (entry && !found.some(({ pid }) => pid === entry?.pid)) {
    found.push(entry)
    entry = entry.ppid > 0 ? processes.entry(entry.ppid) : null
  }
  return found
}

export const marksOf = (among: readonly ProcessEntry[]): Marks[] =>
  [...processes.readMarks(among.map(({ pid }) => pid))].flatMap(({ marks }) => marks ?? [])
