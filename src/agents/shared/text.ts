import type { Parser } from '../../core/ports.ts'
import { describeExit } from './failure.ts'
import { cutStart } from './fields.ts'
import { type Trouble, troubleOf } from './trouble.ts'

/** How much of an answer is kept: the end, which says how the work went. */
export const MAX_ANSWER = 1024 * 1024

/**
 * Reads plain output: all of it is the agent's answer, and only the exit code says whether it failed.
 * A CLI that its service rejected says so in its last line, or in the last line of its standard error.
 */
export function textParser(readErrorLine: (line: string) => Trouble | null = troubleOf): Parser {
  let lines: string[] = []
  let size = 0
  let last = ''
  let ended = false
  const tail = () => cutStart(lines.join('\n'), MAX_ANSWER)
  return {
    line(line) {
      if (ended) return []
      lines.push(line)
      size += line.length + 1
      if (line.trim() !== '') last = line
      if (size > 2 * MAX_ANSWER) {
        lines = [tail()]
        size = MAX_ANSWER
      }
      return [{ type: 'text', text: line }]
    },
    end(exit, complaint = '') {
      if (ended) return []
      ended = true
      const text = tail()
      if (exit.code === 0) return [{ type: 'ended', ok: true, text }]
      const failed = { type: 'ended', ok: false, text, error: describeExit(exit) } as const
      const printed = troubleOf(last)
      const trouble = printed ?? readErrorLine(complaint)
      return trouble ? [{ type: trouble, note: cutStart(printed ? last : complaint, 500) }, failed] : [failed]
    },
  }
}
