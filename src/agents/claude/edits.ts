import { structuredPatch } from 'diff'
import { asList, asObject, asText, clip, type Fields } from '../shared/fields.ts'

const MAX_EDITS = 50

/** The change by a call of one of Claude's editing tools. undefined for any other tool, and if nothing changes. */
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

/** How much of a diff is shown. */
const MAX_LINES = 200
const MAX_CHARS = 20_000
/** How much of either text is compared. */
const MAX_TEXT = 64 * 1024
const MAX_TEXT_LINES = 2000
/** Finding the shortest diff takes time in the square of its changes; most of a longer one would not be shown. */
const MAX_CHANGES = 2 * MAX_LINES
/** Unchanged lines shown on either side of a change. */
const CONTEXT = 2

/** Stands for what is left out. */
const GAP = ' …'

/** A change of text as lines with a leading `-`, `+` or space; unchanged ones only near a change. Bounded. */
export function diffOf(before: string, after: string): string[] {
  const old = linesOf(before)
  const now = linesOf(after)
  const options = { context: CONTEXT, maxEditLength: MAX_CHANGES }
  const patch = structuredPatch('', '', joined(old), joined(now), '', '', options)
  return patch ? patch.hunks.flatMap(({ lines }, i) => (i === 0 ? lines : [GAP, ...lines])) : blocks(old, now)
}

/** A diff cut down to what is shown of it. */
function bounded(diff: readonly string[]): string[] {
  const kept: string[] = []
  let room = MAX_CHARS
  for (const line of diff) {
    if (kept.length === MAX_LINES || room <= 0) return [...kept, GAP]
    kept.push(clip(line, room))
    room -= line.length
  }
  return kept
}

function linesOf(text: string): string[] {
  const lines = clip(text, MAX_TEXT).split('\n', MAX_TEXT_LINES)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

const joined = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('')

/** All old lines, then all new ones, without what both texts begin and end with. */
function blocks(old: readonly string[], now: readonly string[]): string[] {
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head < shorter && old[head] === now[head]) head++
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const end = old.length - tail
  return [
    ...old.slice(Math.max(head - CONTEXT, 0), head).map(line => ` ${line}`),
    ...old.slice(head, end).map(line => `-${line}`),
    ...now.slice(head, now.length - tail).map(line => `+${line}`),
    ...old.slice(end, end + CONTEXT).map(line => ` ${line}`),
  ]
}
