const LONGEST = 100

/**
 * What a run works on, for its header: the first line of a text that says something, at most 100 characters of it. Hidden
 * characters stay, so that the header shows them.
 */
export function subjectLine(text: string): string {
  const line = text.replace(/^[ \t\r\n]+/, '').split('\n', 1)[0]!
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line.replace(/[ \t\r]+$/, '')
}
