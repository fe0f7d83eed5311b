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
