/**
 * Splits a line into words as a POSIX shell would: quotes and backslashes, nothing is expanded.
 * null where a quote is left open.
 */
export function splitWords(line: string): string[] | null {
  const words: string[] = []
  let word: string | null = null
  let quote = ''
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!
    const after = line[at + 1]
    if (char === quote) quote = ''
    else if (char === '\\' && isEscape(after, quote)) {
      // A backslash before the end of a line joins it with the next one.
      if (after !== '\n') word = (word ?? '') + after
      at++
    } else if (quote) word += char
    else if (char === '"' || char === "'") {
      quote = char
      word ??= ''
    } else if (char === ' ' || char === '\t' || char === '\n') {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + char
  }
  if (quote) return null
  return word === null ? words : [...words, word]
}

/** Whether a backslash takes the meaning from what follows it; otherwise it stands for itself. */
function isEscape(after: string | undefined, quote: string): after is string {
  if (after === undefined || quote === "'") return false
  return quote === '' || '"\\$`\n'.includes(after)
}
