import type { Parser } from '../../core/ports.ts'
import { sayExit } from './exit.ts'
import { cutHead } from './fields.ts'
import { type Trouble, troubleOf } from './trouble.ts'

/** What is kept of an answer; its end tells how it went. */
export const KEPT = 1024 * 1024

/**
 * Reads plain output: all of it is the agent's words, and the exit code is all it says about itself.
 * A CLI whose service turned it away says so in its last line, or in the last one of its standard error.
 */
export function textParser(readComplaint: (line: string) => Trouble | null = troubleOf): Parser {
  let lines: string[] = []
  let size = 0
  let last = ''
  let ended = false
  const tail = () => cutHead(lines.join('\n'), KEPT)
  return {
    line(line) {
      if (ended) return []
      lines.push(line)
      size += line.length + 1
      if (line.trim() !== '') last = line
      if (size > 2 * KEPT) {
        lines = [tail()]
        size = KEPT
      }
      return [{ type: 'text', text: line }]
    },
    end(exit, complaint = '') {
      if (ended) return []
      ended = true
      const text = tail()
      if (exit.code === 0) return [{ type: 'ended', ok: true, text }]
      const failed = { type: 'ended', ok: false, text, error: sayExit(exit) } as const
      const printed = troubleOf(last)
      const trouble = printed ?? readComplaint(complaint)
      return trouble ? [{ type: trouble, note: cutHead(printed ? last : complaint, 500) }, failed] : [failed]
    },
  }
}
