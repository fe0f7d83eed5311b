import { checkList } from '../check-list.ts'
import type { Planned } from '../planned.ts'

type Open = { indent: number; index: number }
type Entry = { content: string; status: string; blockedBy: string[]; notes: string[]; line: number }

const ITEM = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[([^\]]?)\](?:[ \t]+(.*))?$)?/
/** A fence may stand on the line of the bullet that it belongs to; backticks that are closed on it are code in words. */
const FENCE = /^\s*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?!.*`)|~{3,})/
/** Code in backticks, in which nothing is a comment; a whole comment; one that goes on below. */
const PIECE = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|<!--.*?-->|<!--.*/g

/** Deeper than this without an item around it, markdown takes a line for code. */
const CODE_INDENT = 4

/**
 * A markdown checklist. `- [x]` is completed; an item with items below it is blocked by them, because people tick the
 * whole after its parts; other lines below an item are its description. Fenced code and comments are not looked at.
 */
export function readChecklist(file: string, text: string): Planned | { errors: string[] } {
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
    { fresh: false, place: index => `${file}:${entries[index]!.line}: ` },
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
  for (const [at, whole] of lines.entries()) {
    let line = whole
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
        // What nobody closes is no comment.
        if (!isClosed && at >= lastEnd) return piece
        inComment = !isClosed
        return ''
      })
    const indent = widthOf(/^[ \t]*/.exec(line)![0])
    if (line.trim() === '') continue
    const item = ITEM.exec(line)
    const isCode: boolean = !inList && indent >= CODE_INDENT
    inList = item !== null ? inList || !isCode : inList && indent > 0
    // What is not below an item any longer ends it; two columns make the difference, as people indent.
    open = open.filter(({ indent: outer }) => indent >= outer + 2)
    fence = FENCE.exec(line)?.[1] ?? null
    const box = item?.[2]
    // A letter or a digit in brackets is a reference or the like.
    if (box === undefined || isCode || /[^\WxX]/.test(box)) {
      noteBelow(line)
      continue
    }
    const slip = slipIn(box, item![3] ?? '')
    if (slip !== null) {
      errors.push(`${file}:${at + 1}: ${slip}`)
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

function slipIn(box: string, text: string): string | null {
  if (!' xX'.includes(box) || box === '')
    return `[${box}] is neither open nor done; write "[ ]" for open, "[x]" for done`
  return text.trim() === '' ? 'the item has no words; say what is to be done, or remove it' : null
}

const isFenceEnd = (line: string, fence: string): boolean =>
  line.trim().startsWith(fence) && /^(`+|~+)$/.test(line.trim())

/** Columns of white space; a tab goes to the next multiple of four. */
function widthOf(space: string): number {
  let columns = 0
  for (const char of space) columns += char === '\t' ? CODE_INDENT - (columns % CODE_INDENT) : 1
  return columns
}
