/** Whether a name is one of these, or fits one of them as a pattern: `*` is any text, `?` one character. */
export const matchesAny = (name: string, patterns: readonly string[]): boolean =>
  patterns.some(pattern => matches(name, pattern))

/** Goes back to the last star only, which is enough and cannot take more than name × pattern steps. */
function matches(name: string, pattern: string): boolean {
  let at = 0
  let here = 0
  let star = -1
  let resume = 0
  while (at < name.length) {
    if (pattern[here] === '*') {
      star = here++
      resume = at
    } else if (pattern[here] === '?' || pattern[here] === name[at]) {
      here++
      at++
    } else if (star >= 0) {
      here = star + 1
      at = ++resume
    } else return false
  }
  while (pattern[here] === '*') here++
  return here === pattern.length
}
