/**
 * Splits a line into words as a POSIX shell would: with quotes and backslashes, without expansions.
 * null if a quote is not closed.
 */
export function splitWords(line: string): string[] | null {
  const words: string[] = []
  let word: string | null = null
  let quote = ''
  for (let index = 0; index < line.length; index++) {
    const char = line[index]!
    const after = line[index + 1]
    if (char === quote) quote = ''
    else if (char === '\\' && isEscape(after, quote)) {
      // A backslash at the end of a line joins it with the next one.
      if (after !== '\n') word = (word ?? '') + after
      index++
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

/** Whether a backslash escapes the next character; otherwise it is an ordinary character. */
function isEscape(after: string | undefined, quote: string): after is string {
  if (after === undefined || quote === "'") return false
  return quote === '' || '"\\$`\n'.includes(after)
}

/** `6h`, `30m`, `90s`, `1h30m`: at least one part, the largest first. */
export const DURATION = /^(?=\d)(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?$/

/** The seconds of a duration such as `1h30m`, or null if it is not one. */
export function parseDuration(text: string): number | null {
  const found = DURATION.exec(text)
  if (!found) return null
  const [hours, minutes, seconds] = found.slice(1).map(part => Number(part ?? 0))
  return hours! * 3600 + minutes! * 60 + seconds!
}
