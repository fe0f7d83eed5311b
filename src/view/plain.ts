/**
 * Makes an agent's text safe for a terminal: removes escape sequences, control characters, direction overrides and
 * invisible characters, and turns tabs into spaces.
 */
export function plain(text: string): string {
  if (isSimple(text) || !UNUSUAL.test(text)) return text
  return text
    .replace(SEQUENCES, '')
    .replace(/\t/g, '    ')
    .replace(INVISIBLE, '')
    .replace(LONE, '\ufffd')
    .replace(PILE, '$1')
}

/** The same in one line of at most `length` characters. */
export function plainLine(text: string, length = 200): string {
  const line = plain(text.slice(0, length * 4))
    .replace(/\s*\n\s*/g, ' ')
    .trim()
  return line.length > length ? `${cutAt(line, length - 1)}…` : line
}

/** At most `length` characters, never half of a surrogate pair. */
export function cutAt(text: string, length: number): string {
  const code = text.charCodeAt(length - 1)
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length)
}

const encoder = new TextEncoder()
const bytes = new Uint8Array(16 * 1024)
const words = new Int32Array(bytes.buffer)

/**
 * Whether a text is one line of printable ASCII. Nearly all of a long stream is, and checking four bytes at a time takes
 * a third of the time that a regular expression needs.
 */
export function isSimple(text: string): boolean {
  if (text.length > bytes.length - 4) return false
  const { written } = encoder.encodeInto(text, bytes)
  if (written !== text.length) return false
  // Fill the last word with spaces: the buffer may still hold the end of a longer text.
  bytes[written] = bytes[written + 1] = bytes[written + 2] = 0x20
  const count = (written + 3) >> 2
  let odd = 0
  for (let i = 0; i < count; i++) {
    const word = words[i]!
    // The top bit of a byte is set if it is: over 0x7f, under 0x20, or 0x7f.
    odd |= word | ((word - 0x20202020) & ~word) | (word + 0x01010101)
  }
  return (odd & 0x80808080) === 0
}

/** Not unusual beside ASCII: the signs that ralph uses in its own lines. */
const UNUSUAL = /[^\n\x20-\x7e·–—…›✓✗◉]/

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
