import { checkList } from '../check-list.ts'
import type { CheckedList } from '../planned.ts'

type Open = { indent: number; index: number }
type Entry = { content: string; status: string; blockedBy: string[]; notes: string[]; line: number }

const ITEM = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[([^\]]?)\](?:[ \t]+(.*))?$)?/
/** A fence may be on the line of its bullet. Backticks that are closed on the same line are inline code. */
const FENCE = /^\s*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?!.*`)|~{3,})/
/** Inline code, in which nothing is a comment; a complete comment; the start of a longer one. */
const PIECE = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|<!--.*?-->|<!--.*/g

/** Outside a list, markdown reads a line with this indentation as code. */
const CODE_INDENT = 4

/**
 * Reads a markdown checklist. `- [x]` is completed. Nested items block their parent, because people tick the whole
 * after its parts. Other lines below an item are its description. Items in fenced code and comments are ignored.
 */
export function readChecklist(file: string, text: string): CheckedList | { errors: string[] } {
  const { entries, errors } = entriesOf(file, text.split(/\r?\n/))
  if (errors.length > 0) return { errors }
  if (entries.length === 0)
    return {
      errors: [`${file}: it holds neither JSON nor a list with "- [ ]" items; write one task per item`],
    }
  return checkList(
    entries.map(({ notes, ...entry }, index) => ({
      ...entry,
      id: idAt(index),
      description: notes.join('\n'),
    })),
    { isNew: false, locate: index => `${file}:${entries[index]!.line}: ` },
  )
}

const idAt = (index: number) => `#${index + 1}`

function entriesOf(file: string, lines: readonly string[]): { entries: Entry[]; errors: string[] } {
  const entries: Entry[] = []
  const errors: string[] = []
  let open: Open[] = []
  let fence: string | null = null
  let inComment = false
  let inList = false
  const noteBelow = (line: string) => {
    const item = open.at(-1)
    if (item) entries[item.index]!.notes.push(line.trim())
  }
  const lastEnd = lines.findLastIndex(line => line.includes('-->'))
  for (const [at, original] of lines.entries()) {
    let line = original
    if (fence !== null) {
      noteBelow(line)
      if (isFenceEnd(line, fence)) fence = null
      continue
    }
    if (inComment || /^\s*<!--/.test(line)) {
      inComment = !line.includes('-->')
      continue
    }
    if (line.includes('<!--'))
      line = line.replace(PIECE, piece => {
        if (piece.startsWith('`')) return piece
        const isClosed = piece.includes('-->')
        // Without a closing mark it is not a comment.
        if (!isClosed && at >= lastEnd) return piece
        inComment = !isClosed
        return ''
      })
    const indent = widthOf(/^[ \t]*/.exec(line)![0])
    if (line.trim() === '') continue
    const item = ITEM.exec(line)
    const isCode: boolean = !inList && indent >= CODE_INDENT
    inList = item !== null ? inList || !isCode : inList && indent > 0
    // A line ends every item that it is not indented below, by at least two columns.
    open = open.filter(({ indent: outer }) => indent >= outer + 2)
    fence = FENCE.exec(line)?.[1] ?? null
    const box = item?.[2]
    // A letter or digit in brackets is something else, such as a reference.
    if (box === undefined || isCode || /[^\WxX]/.test(box)) {
      noteBelow(line)
      continue
    }
    const error = boxError(box, item![3] ?? '')
    if (error !== null) {
      errors.push(`${file}:${at + 1}: ${error}`)
      continue
    }
    const parent = open.at(-1)
    const outer = parent && entries[parent.index]!
    if (outer?.status === 'pending') outer.blockedBy.push(idAt(entries.length))
    open.push({ indent, index: entries.length })
    const status = box === ' ' ? 'pending' : 'completed'
    entries.push({ content: item![3]!, status, blockedBy: [], notes: [], line: at + 1 })
  }
  return { entries, errors }
}

function boxError(box: string, text: string): string | null {
  if (!' xX'.includes(box) || box === '')
    return `[${box}] is neither open nor done; write "[ ]" for open, "[x]" for done`
  return text.trim() === '' ? 'the item has no text; write what to do, or remove it' : null
}

const isFenceEnd = (line: string, fence: string): boolean =>
  line.trim().startsWith(fence) && /^(`+|~+)$/.test(line.trim())

/** The width of white space in columns. A tab goes to the next multiple of four. */
function widthOf(space: string): number {
  let columns = 0
  for (const char of space) columns += char === '\t' ? CODE_INDENT - (columns % CODE_INDENT) : 1
  return columns
}
