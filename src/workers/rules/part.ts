/** What a view log has about one iteration: from the line that begins it to the one that begins another; null: nothing. */
export function partOf(text: string, name: string, n: number): string | null {
  const start = new RegExp(`^.*\\[ralph\\] ${name}: starting iteration (\\d+)`, 'gm')
  const starts = [...text.matchAll(start)].map(found => ({ n: Number(found[1]), at: found.index }))
  const from = starts.findLastIndex(found => found.n === n)
  if (from < 0) return null
  return `${text.slice(starts[from]!.at, starts[from + 1]?.at).trimEnd()}\n`
}
