import stringWidth from 'string-width'

/** So much of a line as fits in so many columns. */
export function clip(line: string, room: number): string {
  if (stringWidth(line) <= room) return line
  if (room < 2) return ''
  return `${piecesOf(line, room - 1)[0]!.trimEnd()}…`
}

/** A text in lines that fit, broken between words where that is possible. */
export function wrap(text: string, room: number): string[] {
  const lines: string[] = []
  let used = 0
  for (const piece of text.split(' ').flatMap(word => piecesOf(word, room))) {
    const width = stringWidth(piece)
    if (lines.length > 0 && used + 1 + width <= room) {
      lines.push(`${lines.pop()} ${piece}`)
      used += 1 + width
    } else {
      lines.push(piece)
      used = width
    }
  }
  return lines
}

/** At least one, and at least a character in each, however narrow the room. */
function piecesOf(text: string, room: number): string[] {
  if (stringWidth(text) <= room) return [text]
  const pieces: string[] = []
  let piece = ''
  let used = 0
  for (const character of text) {
    const width = stringWidth(character)
    if (piece !== '' && used + width > room) {
      pieces.push(piece)
      piece = ''
      used = 0
    }
    piece += character
    used += width
  }
  return [...pieces, piece]
}
