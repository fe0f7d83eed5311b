import { onOneLine } from '../../../core/format.ts'

/** A quote that is shorter says nothing: most files have a line with a bracket. */
const SHORTEST = 4

/** A quoted line as it is compared: without the sign of a diff, quotes around it, and with single spaces. */
export function quotedLine(evidence: string): string | null {
  const line = evidence
    .split('\n')
    .map(onOneLine)
    .find(part => part !== '')
  if (line === undefined) return null
  const bare = line
    .replace(/^(?:[`"'“”]+)(.*?)(?:[`"'“”]+)$/, '$1')
    .replace(/^[+-] ?(?=\S)/, '')
    .trim()
  return bare.length < SHORTEST ? null : bare
}

/** Whether one of these lines has the quoted text in it. */
export function isQuotedIn(lines: readonly string[]): (evidence: string) => boolean {
  const shown = lines.map(onOneLine)
  return evidence => {
    const line = quotedLine(evidence)
    return line !== null && shown.some(candidate => candidate.includes(line))
  }
}
