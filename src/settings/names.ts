/** The known name that was probably meant: the nearest one, if it is near enough. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const [best] = known
    .map(candidate => ({ candidate, distance: distanceBetween(normalize(name), normalize(candidate)) }))
    .filter(({ candidate, distance }) => distance <= Math.max(1, Math.floor(candidate.length * 0.4)))
    .sort((a, b) => a.distance - b.distance)
  return best?.candidate ?? null
}

/** `maximum-iterations` and `Maximum_Iterations` differ only in style from the real key. */
const normalize = (name: string) => name.slice(0, 64).toLowerCase().replace(/[-_ ]/g, '')

/** How many letters must be added, removed, changed or swapped with a neighbour to get from one to the other. */
function distanceBetween(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, changed, swapped)
    }
    before = row
    row = next
  }
  return row[b.length]!
}

/** The path of a value in the settings: keys, and indexes of lists. */
export type Path = readonly (string | number)[]

/** `guardrails[0].command`; an ambiguous key gets quotes. */
export const showPath = (path: Path): string => path.map(showStep).join('')

function showStep(step: string | number, index: number): string {
  if (typeof step === 'number') return `[${step}]`
  if (index === 0) return step
  return /^[\w$-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`
}

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
