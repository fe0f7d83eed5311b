const ESC = '\u001b'

/** What a terminal obeys: control sequences, strings (titles, links, images), and other escapes. */
const SEQUENCES = new RegExp(
  [
    `${ESC}\\[[0-?]*[ -/]*[@-~]?`,
    `${ESC}[\\]PX^_k][^\\u0007${ESC}]*(?:\\u0007|${ESC}\\\\)?`,
    `${ESC}[ -/]*[0-~]?`,
  ].join('|'),
  'g',
)

/** Control characters but tab, backspace and carriage return. */
const CONTROLS = /[\u0000-\u0007\u000a-\u000c\u000e-\u001f\u007f]/g

/** One line of a terminal's output as a person reads it: without escapes, and only what was written last. */
export function plainOutput(line: string): string {
  if (!NOT_PLAIN.test(line)) return line
  const text = line.replace(SEQUENCES, '').replace(CONTROLS, '')
  const written = text.includes('\r') ? (text.split('\r').findLast(part => part !== '') ?? '') : text
  return written.includes('\b') ? withoutErased(written) : written
}

const NOT_PLAIN = /[\u0000-\u0008\u000a-\u001f\u007f]/

function withoutErased(text: string): string {
  const chars: string[] = []
  for (const char of text) {
    if (char === '\b') chars.pop()
    else chars.push(char)
  }
  return chars.join('')
}
