import type { Redirect, Script } from './shell.ts'

/** A place in a text, and what is pending there. Reading never throws: the first problem is noted and ends it. */
export type Reader = {
  text: string
  at: number
  depth: number
  /** Why the rest could not be read. */
  problem: string | null
  /** Here-documents whose bodies begin after the line, with the list for the scripts in them. */
  pending: { redirect: Redirect; within: Script[]; end: string; literal: boolean; tabs: boolean }[]
  /** The scripts in the words of the command that is being read. */
  within: Script[]
  /** The parser of scripts, handed down so that words can hold them. */
  readScript: (reader: Reader, ends: readonly string[]) => Script
}

/** Nobody writes deeper nesting. */
const MAX_DEPTH = 50

export function fail(reader: Reader, problem: string): void {
  reader.problem ??= problem
  reader.at = reader.text.length
}

/** Reads something inside something. Fails if it nests too deeply. */
export function nested<T>(reader: Reader, read: () => T, otherwise: T): T {
  if (reader.depth >= MAX_DEPTH) {
    fail(reader, 'it nests too deeply')
    return otherwise
  }
  reader.depth++
  const result = read()
  reader.depth--
  return result
}

/** Reads another text inside this one: the inside of backquotes, the body of a here-document. */
export function innerText<T>(reader: Reader, text: string, read: (inner: Reader) => T, otherwise: T): T {
  return nested(
    reader,
    () => {
      const inner: Reader = { ...reader, text, at: 0, problem: null, pending: [] }
      const result = read(inner)
      if (inner.problem !== null) fail(reader, inner.problem)
      return result
    },
    otherwise,
  )
}

/** A script up to its closing word, which is taken too. */
export const readUpTo = (reader: Reader, end: string): Script =>
  nested(
    reader,
    () => {
      const script = reader.readScript(reader, [end])
      if (reader.text.startsWith(end, reader.at)) reader.at += end.length
      else fail(reader, end === ')' ? 'a parenthesis is never closed' : `"${end}" is missing`)
      return script
    },
    [] as Script,
  )

/** Takes what a sticky pattern matches here. */
export function take(reader: Reader, pattern: RegExp): string | null {
  pattern.lastIndex = reader.at
  const found = pattern.exec(reader.text)
  if (found === null) return null
  reader.at = pattern.lastIndex
  return found[0]
}

export const isAhead = (reader: Reader, pattern: RegExp): boolean => {
  pattern.lastIndex = reader.at
  return pattern.test(reader.text)
}
