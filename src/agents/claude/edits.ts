import { asList, asObject, asText, type Fields } from '../shared/fields.ts'
import { bounded, diffOf, GAP, linesOf, MAX_LINES } from './diff.ts'

const MAX_EDITS = 50

/** What a call of one of Claude's editing tools changes; undefined for any other tool, and if nothing changes. */
export function editOf(tool: string, input: Fields): string[] | undefined {
  const diff = changeOf(tool, input)
  return diff.length > 0 ? bounded(diff) : undefined
}

function changeOf(tool: string, input: Fields): string[] {
  switch (tool) {
    case 'Edit':
      return diffOf(asText(input.old_string), asText(input.new_string))
    case 'MultiEdit':
      return changesOf(asList(input.edits).slice(0, MAX_EDITS))
    case 'Write':
      return linesOf(asText(input.content)).map(line => `+${line}`)
    case 'NotebookEdit':
      return linesOf(asText(input.new_source)).map(line => `+${line}`)
    default:
      return []
  }
}

/** Several changes as one. Once there is more than is shown, the rest is not compared: that takes time. */
function changesOf(edits: readonly unknown[]): string[] {
  const lines: string[] = []
  for (const edit of edits.map(asObject)) {
    if (lines.length > MAX_LINES) break
    const diff = diffOf(asText(edit?.old_string), asText(edit?.new_string))
    if (diff.length > 0) lines.push(...(lines.length > 0 ? [GAP] : []), ...diff)
  }
  return lines
}
