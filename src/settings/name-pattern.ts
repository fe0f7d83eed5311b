/** Whether a name matches one of the patterns: `*` is any text, `?` one character. */
export const matchesAny = (name: string, patterns: readonly string[]): boolean =>
  patterns.some(pattern => matches(name, pattern))

/** Backtracks only to the last star, which is enough, so it takes at most name × pattern steps. */
function matches(name: string, pattern: string): boolean {
  let inName = 0
  let inPattern = 0
  let star = -1
  let resume = 0
  while (inName < name.length) {
    if (pattern[inPattern] === '*') {
      star = inPattern++
      resume = inName
    } else if (pattern[inPattern] === '?' || pattern[inPattern] === name[inName]) {
      inPattern++
      inName++
    } else if (star >= 0) {
      inPattern = star + 1
      inName = ++resume
    } else return false
  }
  while (pattern[inPattern] === '*') inPattern++
  return inPattern === pattern.length
}
