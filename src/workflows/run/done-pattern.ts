import { createContext, Script } from 'node:vm'
import { UsageError } from '../../core/usage-error.ts'

/** A pattern that takes longer counts as not matched. */
const LIMIT_MS = 1000

/** Compiles a JavaScript pattern; accepts a leading `(?i)` or `(?s)`, which other tools use. */
function compile(pattern: string): RegExp {
  const lead = /^\(\?([ims]+)\)/.exec(pattern)
  return new RegExp(lead ? pattern.slice(lead[0].length) : pattern, lead?.[1] ?? '')
}

/** Refuses a pattern that is none, or that takes too long for texts that look like it. */
export function checkPattern(pattern: string, limitMs = LIMIT_MS): void {
  try {
    compile(pattern)
  } catch (error) {
    throw new UsageError(`--done-pattern: ${(error as Error).message}`)
  }
  if (matchesAny(pattern, probesFor(pattern), limitMs) === null)
    throw new UsageError(
      `--done-pattern: ${pattern} takes too long on some texts; write it without repetitions inside repetitions`,
    )
}

const MOST_PROBES = 16
/** On such a text a pattern takes either milliseconds or years, however busy the machine is. */
const PROBE_LENGTH = 100

/** Texts that nearly match: long repetitions of the pattern's own characters, with something else at the end. */
function probesFor(pattern: string): string[] {
  const chars = [...new Set(['a', '0', ' ', ...(pattern.match(/[\w .,:%-]/g) ?? [])])].slice(0, MOST_PROBES)
  const letters = pattern.replace(/\W+/g, '')
  return [...chars, letters].map(text => `${text.repeat(PROBE_LENGTH / (text.length || 1))}\u0001`)
}

const isIn = new Script('texts.some(text => pattern.test(text))')

/** Whether one of the texts matches. Null if that took too long: some patterns would backtrack for years. */
function matchesAny(pattern: string, texts: readonly string[], limitMs: number): boolean | null {
  try {
    const context = createContext({ pattern: compile(pattern), texts })
    return isIn.runInContext(context, { timeout: limitMs }) === true
  } catch {
    return null
  }
}

/** A text as a whole and its lines: `^` and `$` mean those of a line, too. */
const textAndLines = (text: string): string[] => (text.includes('\n') ? [text, ...text.split('\n')] : [text])

export const matches = (pattern: string, text: string): boolean =>
  matchesAny(pattern, textAndLines(text), LIMIT_MS) === true

/** How much of what an agent says is gathered before it is looked at: each look takes a moment. */
const GATHERED = 64 * 1024

/** After so many looks that took too long, an iteration is no longer looked at. */
const MOST_SLOW = 3

export type PatternWatch = {
  /** Call it when another agent begins. */
  begin(): void
  /** Call it with what the agent says. */
  hear(text: string): void
  /** Whether the pattern matched anything that it said. */
  hasMatched(): boolean
}

/** Looks for a pattern in all that an agent says, and remembers it. `onSlow` is called once, when it takes too long. */
export function watchPattern(pattern: string, onSlow: () => void, limitMs = LIMIT_MS): PatternWatch {
  let found = false
  let slow = 0
  let told = false
  let texts: string[] = []
  let size = 0
  const look = () => {
    const gathered = texts
    texts = []
    size = 0
    if (found || slow >= MOST_SLOW || gathered.length === 0) return
    const matched = matchesAny(pattern, gathered.flatMap(textAndLines), limitMs)
    found = matched === true
    if (matched !== null) return
    slow++
    if (!told) onSlow()
    told = true
  }
  return {
    begin() {
      found = false
      slow = 0
      texts = []
      size = 0
    },
    hear(text) {
      if (found) return
      texts.push(text)
      size += text.length + 1
      if (size >= GATHERED) look()
    },
    hasMatched() {
      look()
      return found
    },
  }
}
