/** One file of a diff. */
export type FileDiff = { path: string; text: string }

/** Splits what `git diff` printed by file. */
export function splitDiff(diff: string): FileDiff[] {
  const starts = [...diff.matchAll(/^diff --git .*$/gm)].map(({ index }) => index)
  return starts.map((start, at) => {
    const text = diff.slice(start, starts[at + 1] ?? diff.length)
    return { path: pathOf(text), text }
  })
}

const pathOf = (text: string): string =>
  /^\+\+\+ (?:b\/)?(.+?)\t?$/m.exec(text)?.[1] ??
  /^rename to (.+)$/m.exec(text)?.[1] ??
  /^diff --git .* b\/(.*)$/m.exec(text)?.[1] ??
  ''

/** The lines that a diff adds, without their sign. */
export const addedLines = (files: readonly FileDiff[]): string[] => linesWith(files, '+')

/** The lines that are there after it, without their sign. */
export const presentLines = (files: readonly FileDiff[]): string[] => linesWith(files, '+ ')

function linesWith(files: readonly FileDiff[], signs: string): string[] {
  return files.flatMap(({ text }) => {
    const body = text.search(/^@@ /m)
    if (body < 0) return []
    return text
      .slice(body)
      .split('\n')
      .filter(line => line !== '' && signs.includes(line[0]!))
      .map(line => line.slice(1))
  })
}

/** Parts of at most `cap` characters, whole files each; what does not fit into `most` of them is left over. */
export function partsOf(
  files: readonly FileDiff[],
  { cap, most }: { cap: number; most: number },
): { parts: FileDiff[][]; left: FileDiff[] } {
  const parts: FileDiff[][] = []
  const left: FileDiff[] = []
  let size = 0
  for (const file of files) {
    if (file.text.length > cap) {
      left.push(file)
      continue
    }
    const last = parts.at(-1)
    if (last && size + file.text.length <= cap) {
      last.push(file)
      size += file.text.length
    } else if (parts.length < most) {
      parts.push([file])
      size = file.text.length
    } else left.push(file)
  }
  return { parts: parts.length > 0 ? parts : [[]], left }
}

/** The files that a diff changes, by the names that they have or had. */
export const pathsInDiff = (diff: string): Set<string> =>
  new Set(
    splitDiff(diff).flatMap(({ path, text }) => [
      path,
      ...[...text.matchAll(/^(?:--- a\/|rename from )(.+?)\t?$/gm)].map(([, before = '']) => before),
    ]),
  )

/** Whether a diff changes or removes a line, by its number before. */
export function changesLine(diff: string, path: string, line: number): boolean {
  const file = splitDiff(diff).find(each => pathsInDiff(each.text).has(path))
  let before = 0
  return (file?.text.split('\n') ?? []).some(text => {
    const hunk = /^@@ -(\d+)/.exec(text)
    if (hunk) before = Number(hunk[1])
    if (hunk || before === 0 || (text[0] !== ' ' && text[0] !== '-')) return false
    return before++ === line && text[0] === '-'
  })
}
