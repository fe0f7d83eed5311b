import { firstLine, plural } from '../core/format.ts'
import type { Style } from './style.ts'
import { cutAt, plain, plainLine } from './text/plain.ts'

/** How much of a tool's output, or of an edit, is shown. */
export type Bounds = {
  maxLines: number
  maxChars: number
  /** How many lines of a tool's result; absent: one, and a few if it failed. */
  resultLines?: number
}

/** The first lines of an output, and how much is not shown. */
export function excerpt(output: string, { maxLines, maxChars }: Bounds): string[] {
  const text = plain(cutAt(output, maxChars)).trimEnd()
  if (text === '') return []
  const shown = text.split('\n').slice(0, maxLines)
  const hidden = lineCount(output) - shown.length
  if (hidden > 0) shown.push(`… ${plural(hidden, 'more line')}`)
  else if (output.length > maxChars) shown.push(`… ${output.length - maxChars} more characters`)
  return shown
}

/** The first line of an output that is not blank; '' if there is none. */
export const firstLineOf = (output: string, { maxChars }: Bounds): string =>
  plainLine(firstLine(output), maxChars)

/** The first lines of an edit in their colours, and how many are not shown. */
export function diffExcerpt(diff: readonly string[], { maxLines, maxChars }: Bounds, style: Style): string[] {
  const { colors } = style
  const shown: string[] = []
  let room = maxChars
  for (const line of diff) {
    if (shown.length === maxLines || room <= 0) break
    const text = plain(cutAt(line, room)).replaceAll('\n', ' ')
    room -= line.length
    if (text.startsWith('+')) shown.push(colors.green(text))
    else shown.push(text.startsWith('-') ? colors.red(text) : colors.dim(text))
  }
  const hidden = diff.length - shown.length
  return hidden > 0 ? [...shown, colors.dim(`… ${plural(hidden, 'more line')}`)] : shown
}

export const sizeOf = (output: string): string =>
  output === '' ? 'no output' : `${plural(lineCount(output), 'line')}, ${output.length} chars`

function lineCount(text: string): number {
  let count = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}
