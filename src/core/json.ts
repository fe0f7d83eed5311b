import { quote } from './visible.ts'

/** Far deeper than anything people write. Without a limit, code that walks a value could exhaust the stack. */
export const MAX_DEPTH = 64

/** For what ralph wrote itself: it may hold a value that somebody else wrote. */
export const OWN_DEPTH = 2 * MAX_DEPTH

/** A text that is not JSON, or that is nested too deep. `place` is its line and column. */
export class JsonError extends SyntaxError {
  override name = 'JsonError'
  readonly at: number
  readonly place: string
  readonly what: string
  constructor(text: string, { at, what }: Flaw) {
    const place = locate(text, at)
    super(`line ${place.replace(':', ', column ')}: ${what}`)
    this.at = at
    this.place = place
    this.what = what
  }
}

/** Parses JSON that others may have written; some editors write a byte order mark before it. Throws a JsonError. */
export function parseJson(source: string, depth = MAX_DEPTH): unknown {
  const text = source.charCodeAt(0) === BYTE_ORDER_MARK ? source.slice(1) : source
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new JsonError(
      text,
      flawBelow(text, depth) ?? findFlaw(text) ?? { at: 0, what: (error as Error).message },
    )
  }
  if (isDeeper(value, depth)) throw new JsonError(text, flawBelow(text, depth)!)
  return value
}

/** Whether a value is an object with keys, and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value of a text; null if it is not JSON, or not yet. */
export function jsonIn(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

const BYTE_ORDER_MARK = 0xfeff

const deeperThan = (depth: number) => `nested deeper than ${depth} levels`

/** Whether a value is nested deeper. To walk a large value takes less time than to look at each character of its text. */
function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  if (Array.isArray(value)) return value.some(entry => isDeeper(entry, depth - 1))
  const members = value as Record<string, unknown>
  for (const key in members) if (isDeeper(members[key], depth - 1)) return true
  return false
}

/** Where a text has a bracket below this depth; null: nowhere. */
function flawBelow(text: string, depth: number): Flaw | null {
  let open = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = endOfString(text, at) - 1
    else if (char === '[' || char === '{') {
      if (++open > depth) return { at, what: deeperThan(depth) }
    } else if (char === ']' || char === '}') open--
  }
  return null
}

/** The position after the JSON string that begins at `start`; the end of the text if the string is not closed. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at)
    if (at < 0) return text.length
    let slashes = 0
    while (text[at - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return at + 1
  }
}

export type Flaw = { at: number; what: string }

/** The first position where a text is not JSON or repeats a key; null if it is valid. */
export function findFlaw(text: string): Flaw | null {
  let at = 0

  const skip = () => {
    while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++
  }
  const unexpected = (wanted: string): Flaw => {
    const char = text[at]
    if (char === undefined) return { at, what: `the file ends where ${wanted} should be` }
    if (char === '/' || char === '#') return { at, what: 'JSON has no comments; remove it' }
    if (char === "'") return { at, what: 'JSON has double quotes only' }
    return {
      at,
      what: `found ${quote(String.fromCodePoint(text.codePointAt(at)!))} where ${wanted} should be`,
    }
  }
  const string = (): Flaw | null => {
    const start = at
    for (at++; text[at] !== '"'; at++) {
      const char = text[at]
      if (char === undefined || char === '\n' || char === '\r')
        return { at: start, what: 'this string has no end' }
      if (char < ' ') return { at, what: `write ${quote(char).slice(1, -1)} for this character` }
      if (char !== '\\') continue
      if (!/^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(text.slice(at + 1, at + 6)))
        return { at, what: 'a backslash in a string is written \\\\' }
      at++
    }
    at++
    return null
  }
  const scalar = (): Flaw | null => {
    const token = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y
    token.lastIndex = at
    if (!token.test(text)) return unexpected('a value')
    at = token.lastIndex
    return null
  }
  const value = (depth: number): Flaw | null => {
    skip()
    if (text[at] === '"') return string()
    if (text[at] !== '{' && text[at] !== '[') return scalar()
    if (depth === MAX_DEPTH) return { at, what: deeperThan(MAX_DEPTH) }
    return text[at] === '{' ? list('}', member(depth + 1)) : list(']', () => value(depth + 1))
  }
  /** The entries between two brackets, separated by commas. */
  const list = (close: string, entry: () => Flaw | null): Flaw | null => {
    at++
    skip()
    if (text[at] === close) {
      at++
      return null
    }
    for (;;) {
      const flaw = entry()
      if (flaw) return flaw
      skip()
      const comma = at
      if (text[at] === close) {
        at++
        return null
      }
      if (text[at] !== ',') return unexpected(`"," or ${quote(close)}`)
      at++
      skip()
      if (text[at] === close) return { at: comma, what: `remove the comma before ${quote(close)}` }
    }
  }
  const member = (depth: number) => {
    const seen = new Set<string>()
    return (): Flaw | null => {
      const start = at
      if (text[at] !== '"') return unexpected('a key in double quotes')
      const flaw = string()
      if (flaw) return flaw
      const key: string = JSON.parse(text.slice(start, at))
      if (seen.has(key)) return { at: start, what: `the key ${quote(key)} is given twice; keep one of them` }
      seen.add(key)
      skip()
      if (text[at] !== ':') return unexpected('":"')
      at++
      return value(depth)
    }
  }

  const flaw = value(0)
  if (flaw) return flaw
  skip()
  return at < text.length ? unexpected('the end of the file') : null
}

/** `7:3`: the line and the column of a position, both from 1. */
export function locate(text: string, at: number): string {
  const lines = text.slice(0, at).split(/\r\n|\n|\r/)
  return `${lines.length}:${[...lines.at(-1)!].length + 1}`
}
