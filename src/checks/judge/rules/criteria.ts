/** Words by which a criterion asks that something is not there. Of that, nobody can quote a line. */
const ABSENCE =
  /\b(?:no|not|none|never|nothing|neither|nor|without|cannot|free of|absence of|avoids?|removed|deleted)\b|n't\b/i

/** Whether the proof of a criterion is that something is absent. */
export const isAbsence = (criterion: string): boolean => ABSENCE.test(criterion)

/** The first line with a pattern in it, whatever its case; null: there is none. */
export function findPattern(
  patterns: readonly string[],
  lines: readonly string[],
): { pattern: string; line: string } | null {
  for (const pattern of patterns) {
    const wanted = pattern.toLowerCase()
    const line = lines.find(candidate => candidate.toLowerCase().includes(wanted))
    if (line !== undefined) return { pattern, line: line.trim() }
  }
  return null
}
