import { quote } from './visible.ts'

/** Far deeper than anything people write. Without a limit, code that walks a value could exhaust the stack. */
const MAX_DEPTH = 64

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
    throw new JsonError(text, flawBelow(text, depth) ?? flawOf(text, error as Error))
  }
  if (isDeeper(value, depth)) throw new JsonError(text, flawBelow(text, depth)!)
  return value
}

/** Whether a value is an object with keys, and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value of a text. Null if it is not JSON, or not yet. */
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

/** Where a text has a bracket below this depth. Null if nowhere. */
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

type Flaw = { at: number; what: string }

const COLON = /\s*:/y

/** The first key that an object of this JSON has twice. Node takes the last one without a word. Null if there is none. */
export function repeatedKey(text: string): Flaw | null {
  const keysOf: (Set<string> | undefined)[] = []
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '{' || char === '[') keysOf.push(char === '{' ? new Set() : undefined)
    else if (char === '}' || char === ']') keysOf.pop()
    if (char !== '"') continue
    const end = endOfString(text, at)
    COLON.lastIndex = end
    if (COLON.test(text)) {
      const key: string = JSON.parse(text.slice(at, end))
      const keys = keysOf.at(-1)
      if (keys?.has(key)) return { at, what: `the key ${quote(key)} is given twice; keep one of them` }
      keys?.add(key)
    }
    at = end - 1
  }
  return null
}

/** Where a text stops being JSON, and Node's words for it, which are the same in all versions but for what follows them. */
function flawOf(text: string, { message }: Error): Flaw {
  const [, what, at] = /^(.+?)(?: in JSON)? at position (\d+)/.exec(message) ?? []
  if (what && Number(at) < text.length)
    return namedFlaw(text, { at: Number(at), what: what[0]!.toLowerCase() + what.slice(1) })
  if (!UNEXPECTED.test(message)) return { at: text.length, what: 'the file ends too early' }
  const token = firstUnexpected(text)
  const char = String.fromCodePoint(text.codePointAt(token)!)
  return namedFlaw(text, { at: token, what: `unexpected ${quote(char)}` })
}

const UNEXPECTED = /^Unexpected token/

/** Node does not say where this token is: it is the last character of the shortest beginning that already has it. */
function firstUnexpected(text: string): number {
  let [sound, flawed] = [0, text.length]
  while (flawed - sound > 1) {
    const middle = (sound + flawed) >> 1
    if (hasUnexpected(text.slice(0, middle))) flawed = middle
    else sound = middle
  }
  return flawed - 1
}

function hasUnexpected(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return UNEXPECTED.test((error as Error).message)
  }
}

/** A flaw in the words of the rule, if it is one of those that other kinds of JSON allow. */
function namedFlaw(text: string, flaw: Flaw): Flaw {
  const char = text[flaw.at]
  const before = text.slice(0, flaw.at).trimEnd()
  if ((char === '}' || char === ']') && before.endsWith(','))
    return { at: before.length - 1, what: `remove the comma before "${char}"` }
  if (char === '/' || char === '#') return { ...flaw, what: 'JSON has no comments; remove it' }
  return char === "'" ? { ...flaw, what: 'JSON has double quotes only' } : flaw
}

/** `7:3`: the line and the column of a position, both from 1. */
function locate(text: string, at: number): string {
  const lines = text.slice(0, at).split(/\r\n|\n|\r/)
  return `${lines.length}:${[...lines.at(-1)!].length + 1}`
}
