/**
 * Text of an agent as text: no escape sequence, control character or direction override of it
 * reaches a terminal. Tabs become spaces; what is left is what a person can see.
 */
export function plain(text: string): string {
  // Almost all text is clean, and a stream can be long: one look is cheaper than three rewrites.
  if (!UNUSUAL.test(text)) return text
  return text.replace(SEQUENCES, '').replace(/\t/g, '    ').replace(INVISIBLE, '')
}

/** Plain, in one line, and not too long for it. */
export function plainLine(text: string, length = 200): string {
  const line = plain(text.slice(0, length * 4))
    .replace(/\s*\n\s*/g, ' ')
    .trim()
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

const UNUSUAL = /[^\n\x20-\x7e]/

/** Control characters but newline, DEL, C1, bidi marks and overrides, zero-width and tag characters, line separators. */
const HIDDEN =
  '\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}'
const INVISIBLE = new RegExp(`[${HIDDEN}]`, 'gu')

/** OSC, DCS, APC, PM and SOS strings up to their end, CSI sequences, then any other escape; 7-bit and 8-bit. */
const SEQUENCES =
  /(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c|(?=\n)|$)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?/g
