const LONGEST = 100

/** The first line of a text that has words in it, as a header shows it. Hidden characters stay: they are to be seen. */
export function firstLine(text: string): string {
  const line = text.replace(/^[ \t\r\n]+/, '').split('\n', 1)[0]!
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line.replace(/[ \t\r]+$/, '')
}
