import { CLOSE, COMMA, OPEN } from './shell.ts'

/** More than these many words out of one are not looked at, nor braces in a word that is longer. */
const MAX_WORDS = 32
const MAX_LENGTH = 10_000

type Frame = { done: string[]; now: string[] }

/** `{a,b}c` → ac, bc; one pass with a stack, whatever the nesting. Braces that expand nothing stand for themselves. */
export function expandBraces(text: string): string[] {
  if (!text.includes(OPEN) || text.length > MAX_LENGTH)
    return [text.replaceAll(OPEN, '{').replaceAll(COMMA, ',').replaceAll(CLOSE, '}')]
  const stack: Frame[] = [{ done: [], now: [''] }]
  for (const piece of text.split(/([\uE005\uE006\uE007])/)) {
    const top = stack.at(-1)!
    if (piece === OPEN) stack.push({ done: [], now: [''] })
    else if (piece === COMMA && stack.length > 1) {
      if (top.done.length < MAX_WORDS) top.done.push(...top.now)
      top.now = ['']
    } else if (piece === CLOSE && stack.length > 1) {
      stack.pop()
      append(stack.at(-1)!, choices(top))
    } else append(top, [piece === COMMA ? ',' : piece === CLOSE ? '}' : piece])
  }
  while (stack.length > 1) {
    const open = stack.pop()!
    append(stack.at(-1)!, [`{${[...open.done, open.now[0]].join(',')}`])
  }
  return stack[0]!.now
}

function append(frame: Frame, pieces: string[]): void {
  frame.now = frame.now.flatMap(start => pieces.map(piece => start + piece)).slice(0, MAX_WORDS)
}

function choices({ done, now }: Frame): string[] {
  if (done.length > 0) return [...done, ...now]
  const range = /^(\w{1,9})\.\.(\w{1,9})(?:\.\.\w{1,9})?$/.exec(now[0]!)
  return range ? [range[1]!, range[2]!] : now.map(inside => `{${inside}}`)
}
