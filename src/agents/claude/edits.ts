import { asList, asObject, asText, type Fields } from '../shared/fields.ts'
import { bounded, diffOf, linesOf } from './diff.ts'

const MOST_EDITS = 50

/** What a call of one of Claude's editing tools changes; undefined if it is none, or changes nothing. */
export function editOf(tool: string, input: Fields): string[] | undefined {
  const diff = changeOf(tool, input)
  return diff.length > 0 ? bounded(diff) : undefined
}

function changeOf(tool: string, input: Fields): string[] {
  switch (tool) {
    case 'Edit':
      return diffOf(asText(input.old_string), asText(input.new_string))
    case 'MultiEdit':
      return asList(input.edits)
        .slice(0, MOST_EDITS)
        .map(edit => asObject(edit) ?? {})
        .map(edit => diffOf(asText(edit.old_string), asText(edit.new_string)))
        .filter(diff => diff.length > 0)
        .flatMap((diff, i) => (i === 0 ? diff : [' …', ...diff]))
    case 'Write':
      return linesOf(asText(input.content)).map(line => `+${line}`)
    case 'NotebookEdit':
      return linesOf(asText(input.new_source)).map(line => `+${line}`)
    default:
      return []
  }
}
