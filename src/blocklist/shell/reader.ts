import type { Redirect, Script } from './shell.ts'

/** A place in a text, and what is pending there. Reading never throws: trouble is written down and ends it. */
export type Reader = {
  text: string
  at: number
  depth: number
  /** Why the rest could not be read. */
  problem: string | null
  /** Here-documents whose bodies begin after the line. */
  pending: { redirect: Redirect; end: string; literal: boolean; tabs: boolean }[]
  /** How often something may still be read a second time, in another way. */
  second: number
  /** The parser of scripts, handed down so that words can hold them. */
  script: (reader: Reader, ends: readonly string[]) => Script
}

/** Deeper nesting is nothing a person writes. */
const MAX_DEPTH = 50

export function fail(reader: Reader, problem: string): void {
  reader.problem ??= problem
  reader.at = reader.text.length
}

/** Reads something inside something; gives up where it nests too deeply. */
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

/** Reads another text within this one: the inside of backquotes, the body of a here-document. */
export function within<T>(reader: Reader, text: string, read: (inner: Reader) => T, otherwise: T): T {
  return nested(
    reader,
    () => {
      const inner: Reader = { ...reader, text, at: 0, problem: null, pending: [] }
      const result = read(inner)
      reader.second = inner.second
      if (inner.problem !== null) fail(reader, inner.problem)
      return result
    },
    otherwise,
  )
}

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
