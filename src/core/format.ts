/** 367000 → 6m7s; 300 → 0.3s. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m${seconds % 60}s`
  return `${Math.floor(minutes / 60)}h${minutes % 60}m`
}

/** 1234567 → 1.2M; 45300 → 45K. */
export function formatCount(n: number): string {
  if (n < 1000) return String(n)
  if (n < 999_500) return `${Math.round(n / 1000)}K`
  return `${(n / 1e6).toFixed(1)}M`
}

/** Below this, cents alone would hide too much: four calls of half a cent are not four times nothing. */
const SMALL_USD = 0.1

/** `$0.18`; `$0.0042`; `~$0.18` if it is an estimate. */
export function formatUsd(usd: number, estimated = false): string {
  const amount = usd < SMALL_USD ? usd.toFixed(4).replace(/0{1,2}$/, '') : usd.toFixed(2)
  return `${estimated ? '~' : ''}$${amount}`
}

/** 45300 → 45 KB; 1234567 → 1.2 MB. */
export function formatBytes(n: number): string {
  if (n < 1000) return `${n} B`
  if (n < 999_500) return `${Math.round(n / 1000)} KB`
  return n < 999_500_000 ? `${(n / 1e6).toFixed(1)} MB` : `${(n / 1e9).toFixed(1)} GB`
}

/** 1 check, 2 checks. */
export const plural = (n: number, word: string, many = `${word}s`): string => `${n} ${n === 1 ? word : many}`

/** a, b, c and 4 more. */
export const listPaths = (paths: readonly string[], most = 5): string =>
  paths.slice(0, most).join(', ') + (paths.length > most ? ` and ${paths.length - most} more` : '')

/** The first few of a list, and instead of the others what `more` says of their number. */
export const atMost = <T>(all: readonly T[], most: number, more: (n: number) => T): T[] =>
  all.length > most ? [...all.slice(0, most), more(all.length - most)] : [...all]

/** What is wrong with an input: the first problem, and how many others there are. */
export const firstProblem = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} (and ${others.length} more)`

/** The first line that says something, without the spaces around it; '' if none does. */
export const firstLine = (text = ''): string => /\S[^\n]*/.exec(text)?.[0].trimEnd() ?? ''

/** A text on one line, with single spaces. */
export const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** A word of a command, as a shell takes it literally. */
export const shellQuoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** The same in a command that people copy: in quotes only if the shell would take it for more. */
export const shellWord = (word: string): string => (/^[\w./-]+$/.test(word) ? word : shellQuoted(word))

/** A column of text gets at least this much of a line. */
const LEAST = 28

/** One line for programs; on a screen it is broken at words. */
export const forScreen = (text: string, screen: { isTTY?: boolean; columns?: number }): string =>
  screen.isTTY ? wrapLines(text, screen.columns || 80) : text

/**
 * Breaks lines at words so that they fit. What stands behind a gap of two spaces, or behind the number or box of a list item,
 * is a column: its words stay in it, or move to a line of their own where it would be too narrow. Counts characters, so a
 * wide one may stick out; a word is never cut.
 */
export const wrapLines = (text: string, columns: number): string =>
  text
    .split('\n')
    .map(line => (line.length <= columns ? line : wrapLine(line, columns)))
    .join('\n')

function wrapLine(line: string, columns: number): string {
  const [, margin = '', rest = ''] = /^( *)(.*)$/.exec(line)!
  const [, head = '', column = ''] = /^(\d{1,3}\. |\[.\] |.*?\S {2,})(\S.*)$/.exec(rest) ?? []
  if (head === '') return fill(margin, rest, margin, columns)
  const indent = margin + ' '.repeat(head.length)
  return columns - indent.length < LEAST
    ? `${margin}${head.trimEnd()}\n${fill(`${margin}    `, column, `${margin}    `, columns)}`
    : fill(margin + head, column, indent, columns)
}

/** Puts words behind a beginning, and on further lines behind an indent. */
function fill(beginning: string, words: string, indent: string, columns: number): string {
  const rows: string[] = []
  let row = beginning
  let isEmpty = true
  for (const word of words.split(' ')) {
    if (!isEmpty && row.length + 1 + word.length > columns) {
      rows.push(row)
      row = indent
      isEmpty = true
    }
    row += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return [...rows, row].join('\n')
}

/** The time of a line in a log, in UTC: `2026-03-01T22:15:30`. */
export const logTime = (at: number): string => new Date(at).toISOString().slice(0, 19)
