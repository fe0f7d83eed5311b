/**
 * Text of an agent as text: no escape sequence, control character, direction override or invisible
 * character of it reaches a terminal. Tabs become spaces; what is left is what a person can see.
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

/** Plain, in one line, and not too long for it. */
export function plainLine(text: string, length = 200): string {
  const line = plain(text.slice(0, length * 4))
    .replace(/\s*\n\s*/g, ' ')
    .trim()
  return line.length > length ? `${cutAt(line, length - 1)}…` : line
}

/** At most so many characters, never half of a surrogate pair. */
export function cutAt(text: string, length: number): string {
  const code = text.charCodeAt(length - 1)
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length)
}

const encoder = new TextEncoder()
const bytes = new Uint8Array(16 * 1024)
const words = new Int32Array(bytes.buffer)

/**
 * Whether a text is one line of printable ASCII. Nearly all of a long stream is, and looking at it
 * four bytes at a time costs a third of what a regular expression does.
 */
export function isSimple(text: string): boolean {
  if (text.length > bytes.length - 4) return false
  const { written } = encoder.encodeInto(text, bytes)
  if (written !== text.length) return false
  // Spaces up to the end of the last word: a text shorter than the one before leaves its rest behind.
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

/** Beside ASCII: what ralph's own sentences and lists are set with. */
const UNUSUAL = /[^\n\x20-\x7e·–—…›✓✗◉]/

/**
 * Control characters but newline, DEL, C1, line separators, annotations, and all that Unicode says is not to be seen:
 * bidi marks and overrides, zero-width, filler and tag characters, variation selectors. The one that makes an
 * emoji of the character before it may stay there.
 */
const INVISIBLE =
  /(?<!\p{Emoji})\ufe0f|(?!\ufe0f)[\p{Default_Ignorable_Code_Point}\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufff9-\ufffb]/gu

const LONE = /\p{Surrogate}/gu

/** Marks piled up on one character until they cover the lines around it. */
const PILE = /(\p{Mark}{8})\p{Mark}+/gu

/** OSC, DCS, APC, PM and SOS strings up to their end (or what breaks them off), CSI sequences, then any other escape; 7-bit and 8-bit. */
const SEQUENCES =
  /(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c|(?=[\x1b\n])|$)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?/g
