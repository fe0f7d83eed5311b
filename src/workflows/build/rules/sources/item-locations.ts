import { endOfString } from '../../../../core/json.ts'

/** Returns the file and line of an item, as the beginning of a message. Only errors need it, so it is computed lazily. */
export function itemLocations(file: string, text: string, key?: string): (index: number) => string {
  let lines: number[] | undefined
  return index => {
    lines ??= itemLines(text, key)
    return `${file}:${lines[index]}: `
  }
}

/**
 * The line of each item of the outermost array, or of the array that the outermost object has under `key`.
 * The text is valid JSON: it was parsed before.
 */
function itemLines(text: string, key?: string): number[] {
  const lines: number[] = []
  const target = key === undefined ? 1 : 2
  const token = /[\n"[\]{},]|[^\s"[\]{},:]+/g
  let line = 1
  let depth = 0
  let lastKey = ''
  let isInside = false
  let isItemDue = false
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [found] = match
    if (found === '\n') {
      line++
      continue
    }
    const closes = found === ']' || found === '}'
    if (isInside && isItemDue && depth === target && !closes) {
      lines.push(line)
      isItemDue = false
    }
    if (found === '"') {
      token.lastIndex = endOfString(text, match.index)
      if (depth === 1) lastKey = text.slice(match.index + 1, token.lastIndex - 1)
    } else if (found === '[' || found === '{') {
      depth++
      if (depth === target && found === '[' && (key === undefined || lastKey === key))
        isInside = isItemDue = true
    } else if (closes) {
      if (depth === target) isInside = false
      depth--
    } else if (found === ',' && depth === target) isItemDue = true
  }
  return lines
}
