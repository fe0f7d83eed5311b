import { isOrdinary } from '../../core/visible.ts'

// Which function makes a text safe for which place. The text may come from anybody: an agent, a file, git.
//
// | place | function | what it does |
// |---|---|---|
// | lines about a run: what an agent, a tool or a check wrote | `plain`, `plainLine` | removes what is hidden or obeyed |
// | what a person approves or compares, such as a command or a path | `visible`, `visibleText` | escapes all that is hidden |
// | what a command prints or asks, and each row of a screen | `printable`, `printableLine` | escapes what a terminal obeys |
// | `--json` | `safeJson` | escapes in JSON's own way |
// | one word within an error | `quote` | JSON's quotes, at most 60 characters |
// | a page of HTML or Markdown | `html`, `escapeMarkdown` in view/report | removes as `plain`, then escapes markup |
//
// All but the first are in core/visible.ts, because adapters need them too. A command that is to run is refused if
// `hiddenIn` finds something in it. To make a text fit: width.ts measures and cuts, fit.ts wraps, table.ts puts cells
// below each other. `wrapLines` in core/format.ts does that for ralph's own sentences, without measuring characters, so
// that help starts fast.

/**
 * An agent's text without escape sequences, control characters, direction overrides and invisible characters, and with
 * spaces for tabs.
 */
export function plain(text: string): string {
  if (isOrdinary(text)) return text
  return text
    .replace(SEQUENCES, '')
    .replace(/\t/g, '    ')
    .replace(INVISIBLE, '')
    .replace(LONE, '\ufffd')
    .replace(PILE, '$1')
}

/** How long a line of a report may be. */
export const LONGEST_LINE = 500

/** The same in one line of at most `length` characters. */
export function plainLine(text: string, length = 200): string {
  const safe = plain(text.slice(0, length * 4))
  const line = (safe.includes('\n') ? safe.replace(/\s*\n\s*/g, ' ') : safe).trim()
  return line.length > length ? `${cutAt(line, length - 1)}…` : line
}

/** At most `length` characters, never half of a surrogate pair. */
export function cutAt(text: string, length: number): string {
  const code = text.charCodeAt(length - 1)
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length)
}

/**
 * Control characters except newline, DEL, C1, line separators, annotations, and everything that Unicode calls ignorable:
 * bidi marks and overrides, zero-width, filler and tag characters, variation selectors. A selector that makes an emoji
 * of the character before it may stay.
 */
const INVISIBLE =
  /(?<!\p{Emoji})\ufe0f|(?!\ufe0f)[\p{Default_Ignorable_Code_Point}\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufff9-\ufffb]/gu

const LONE = /\p{Surrogate}/gu

/** So many marks on one character that they cover the lines around it. */
const PILE = /(\p{Mark}{8})\p{Mark}+/gu

/** OSC, DCS, APC, PM and SOS strings up to their end (or what interrupts them), CSI sequences, then any other escape; 7-bit and 8-bit. */
const SEQUENCES =
  /(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c|(?=[\x1b\n])|$)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?/g

/** How the note of a red check goes on after its name. */
const FAILURE = '(?:failed|timed out|was killed|wrote more|is flaky)'

const NAMED = new RegExp(`\\bGuardrail "(.*?)" (?=${FAILURE}\\b)`, 'g')

/** Red checks in the words of the screen: the name, and how it failed. */
export const asCheck = (text: string): string => text.replace(NAMED, '$1 ')
