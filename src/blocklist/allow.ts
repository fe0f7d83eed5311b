import type { Call } from './call.ts'
import { HOME, STAR, show, unmark } from './shell/shell.ts'
import { walk } from './walk.ts'

/** An entry of the allowlist: the words of each call of a pipeline. */
type Entry = string[][]

/**
 * Reads the allowlist. An entry is a whole command, read as a shell would: its words must be those of the command, in
 * their order. `*` stands for any text within a word, alone for one whole word; `**` alone for any number of words.
 */
export const readAllow = (entries: readonly string[]): Entry[] =>
  entries.map(entry =>
    walk(unmark(entry), '/').flatMap(step => (step.kind === 'call' ? [wordsOf(step.call)] : [])),
  )

/** Whether an entry names this call, or the whole pipeline that it is part of. */
export function isAllowed(call: Call, allow: readonly Entry[]): boolean {
  return allow.some(entry => {
    if (entry.length === 0) return false
    if (entry.length === 1) return call.input.calls.length === 0 && matches(entry[0]!, wordsOf(call))
    return (
      entry.length === call.pipeline.length &&
      entry.every((words, i) => matches(words, wordsOf(call.pipeline[i]!)))
    )
  })
}

/** A redirection counts: allowing `echo *` must not allow writing anywhere. */
const wordsOf = ({ words, redirects }: Call): string[] => [
  ...words,
  ...redirects.flatMap(({ op, target }) => (op.startsWith('<<') ? [] : [op, target])),
]

const REST = STAR + STAR

/** Row by row over the entry, with every place of the command that it may have come to. */
function matches(entry: readonly string[], words: readonly string[]): boolean {
  let places = new Set([0])
  for (const word of entry) {
    const next = new Set<number>()
    for (const at of places) {
      if (word === REST) for (let to = at; to <= words.length; to++) next.add(to)
      else if (at < words.length && matchesWord(word, words[at]!)) next.add(at + 1)
    }
    places = next
  }
  return places.has(words.length)
}

/** A wildcard stands for what is written out: never for a value, another pattern, or a way up. */
function matchesWord(pattern: string, word: string): boolean {
  if (pattern === word) return true
  if (
    !pattern.includes(STAR) ||
    show(word) !== word.replaceAll(HOME, '~') ||
    /(?:^|\/)\.\.(?:\/|$)/.test(word)
  )
    return false
  const pieces = pattern.split(STAR)
  const [first, last] = [pieces[0]!, pieces.at(-1)!]
  if (!word.startsWith(first) || !word.slice(first.length).endsWith(last)) return false
  let at = first.length
  for (const piece of pieces.slice(1, -1)) {
    const found = word.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at + last.length <= word.length
}
