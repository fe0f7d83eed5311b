import { cut } from '../shared/fields.ts'

const MOST_LINES = 200
const MOST_CHARS = 20_000
/** How much of either side is looked at. */
const LOOKED_AT = 64 * 1024
const MOST_LOOKED_AT = 2000
/** Unchanged lines shown on either side of a change. */
const CONTEXT = 2
/** Over this, old against new is told in two blocks: finding the shortest way would take too long. */
const MOST_CELLS = 250_000

/** A change of text as lines with a leading `-`, `+` or space; unchanged ones only near a change. Bounded. */
export function diffOf(before: string, after: string): string[] {
  const old = linesOf(before)
  const now = linesOf(after)
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  const most = Math.min(old.length, now.length) - head
  while (tail < most && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const same = (line: string) => ` ${line}`
  const changes = [
    ...old.slice(0, head).map(same),
    ...changesOf(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...old.slice(old.length - tail).map(same),
  ]
  return changes.flatMap((line, at) => {
    if (isNearChange(changes, at)) return [line]
    // One mark for a gap between two changes, none at the ends.
    const between = isNearChange(changes, at - 1) && changes.slice(at).some(isChange)
    return between ? [' …'] : []
  })
}

/** Several changes as one, within the bounds. */
export function bounded(diff: readonly string[]): string[] {
  const kept: string[] = []
  let room = MOST_CHARS
  for (const line of diff) {
    if (kept.length === MOST_LINES || room <= 0) return [...kept, ' …']
    kept.push(cut(line, room))
    room -= line.length
  }
  return kept
}

const isChange = (line: string | undefined) => line?.startsWith('+') || line?.startsWith('-') || false

const isNearChange = (lines: readonly string[], at: number): boolean =>
  at >= 0 && lines.slice(Math.max(at - CONTEXT, 0), at + CONTEXT + 1).some(isChange)

export function linesOf(text: string): string[] {
  const lines = cut(text, LOOKED_AT).split('\n', MOST_LOOKED_AT)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** The fewest lines to take away and to add. */
function changesOf(old: readonly string[], now: readonly string[]): string[] {
  const width = now.length + 1
  if (old.length * now.length > MOST_CELLS)
    return [...old.map(line => `-${line}`), ...now.map(line => `+${line}`)]
  // How many lines both have in common from here to the end.
  const common = new Uint16Array((old.length + 1) * width)
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--)
      common[i * width + j] =
        old[i] === now[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
  const lines: string[] = []
  let i = 0
  let j = 0
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push(` ${old[i++]}`)
      j++
    } else if (
      i < old.length &&
      (j === now.length || common[(i + 1) * width + j]! >= common[i * width + j + 1]!)
    )
      lines.push(`-${old[i++]}`)
    else lines.push(`+${now[j++]}`)
  }
  return lines
}
