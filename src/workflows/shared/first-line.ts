const LONGEST = 100

/** The first line of a text that is not blank, for a header. Hidden characters stay, so that the header shows them. */
export function firstLine(text: string): string {
  const line = text.replace(/^[ \t\r\n]+/, '').split('\n', 1)[0]!
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line.replace(/[ \t\r]+$/, '')
}
