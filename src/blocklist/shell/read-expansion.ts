import { fail, isAhead, nested, type Reader, take, within } from './reader.ts'
import { ANY, CLOSE, COMMA, OPEN, type Part, type Script, STAR, type Word } from './shell.ts'

/** What `$` begins; it is the next character. */
export function readDollar(reader: Reader, quoted: boolean): Part[] {
  if (isAhead(reader, /\$\(\(/y)) {
    const number = readArithmetic(reader, 3)
    if (number !== null) return [number]
  }
  if (take(reader, /\$\(/y) !== null) return [{ kind: 'command', script: readParenthesized(reader), quoted }]
  if (take(reader, /\$\{/y) !== null)
    return nested(reader, () => [readParameter(reader, quoted)], [] as Part[])
  const name = take(reader, /\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])/y)
  if (name !== null)
    return [{ kind: 'variable', name: name.slice(1), quoted, otherwise: null, required: false }]
  if (!quoted && take(reader, /\$'/y) !== null) return [readAnsi(reader)]
  reader.at++
  if (!quoted && reader.text[reader.at] === '"') return []
  return [{ kind: 'text', text: '$', quoted }]
}

/** A script up to the parenthesis that closes it. */
export const readParenthesized = (reader: Reader): Script =>
  nested(reader, () => {
    const script = reader.script(reader, [')'])
    if (reader.text[reader.at] === ')') reader.at++
    else fail(reader, 'a parenthesis is never closed')
    return script
  }, [])

/**
 * `(( … ))`, of which `opening` characters are the start; null where it is no arithmetic but a subshell in a
 * substitution, which shows only at its end. The second reading of such texts is limited, or nesting them would
 * take time without end.
 */
export const readArithmetic = (reader: Reader, opening: number): Part | null =>
  nested(reader, () => tryArithmetic(reader, opening), { kind: 'opaque', scripts: [] } as Part | null)

function tryArithmetic(reader: Reader, opening: number): Part | null {
  const start = reader.at
  const pending = reader.pending.length
  reader.at += opening
  const scripts: Script[] = []
  let open = 0
  while (reader.at < reader.text.length) {
    const char = reader.text[reader.at]!
    if (char === '$' || char === '`') {
      const parts = char === '$' ? readDollar(reader, true) : [readBackquotes(reader, true)]
      scripts.push(...parts.flatMap(scriptsIn))
      continue
    }
    reader.at++
    if (char === '(') open++
    else if (char === ')' && open > 0) open--
    else if (char === ')' && reader.text[reader.at] === ')') {
      reader.at++
      return { kind: 'opaque', scripts }
    } else if (char === ')') break
  }
  if (reader.problem !== null) return { kind: 'opaque', scripts }
  if (reader.second-- <= 0) {
    fail(reader, 'its parentheses are too tangled')
    return { kind: 'opaque', scripts }
  }
  reader.at = start
  reader.pending.length = pending
  return null
}

export function scriptsIn(part: Part): Script[] {
  switch (part.kind) {
    case 'command':
    case 'process':
      return [part.script]
    case 'opaque':
      return part.scripts
    case 'variable':
      return part.otherwise?.flatMap(scriptsIn) ?? []
    case 'text':
      return []
  }
}

/** `${ … }` after its opening. */
function readParameter(reader: Reader, quoted: boolean): Part {
  const sign = take(reader, /[#!](?=[\w@*])/y)
  const name = take(reader, /[A-Za-z_]\w*|[0-9]+|[@*#?$!-]/y) ?? ''
  take(reader, /\[[^\]\s]{0,64}\]/y)
  const operator = take(reader, /:?[-=?+]/y) ?? ''
  const rest = readUntilBrace(reader, quoted)
  const isFallback = /^:?[-=]$/.test(operator)
  if (sign === null && (operator === '' ? rest.length === 0 : isFallback || operator.endsWith('?')))
    return {
      kind: 'variable',
      name,
      quoted,
      otherwise: isFallback ? rest : null,
      required: operator.endsWith('?'),
    }
  // A part of a value, or something else instead of it: not known.
  return {
    kind: 'variable',
    name: '',
    quoted,
    otherwise: operator.endsWith('+') ? rest : null,
    required: false,
  }
}

function readUntilBrace(reader: Reader, quoted: boolean): Word {
  const word: Word = []
  while (reader.at < reader.text.length) {
    const char = reader.text[reader.at]!
    if (char === '}') {
      reader.at++
      return word
    }
    if (char === '$') word.push(...readDollar(reader, quoted))
    else if (char === '`') word.push(readBackquotes(reader, quoted))
    else if (char === '"') word.push(...readDouble(reader))
    else if (char === "'" && !quoted) word.push(readSingle(reader))
    else if (char === '\\') {
      word.push({ kind: 'text', text: reader.text[reader.at + 1] ?? '', quoted: true })
      reader.at += 2
    } else word.push({ kind: 'text', text: take(reader, /[^}$`"'\\]+|'/y)!, quoted })
  }
  fail(reader, 'a brace is never closed')
  return word
}

/** `' … '`, at its opening. */
export function readSingle(reader: Reader): Part {
  const end = reader.text.indexOf("'", reader.at + 1)
  const text = reader.text.slice(reader.at + 1, end < 0 ? undefined : end)
  if (end < 0) fail(reader, 'a quote is never closed')
  else reader.at = end + 1
  return { kind: 'text', text, quoted: true }
}

/** `" … "`, at its opening. */
export function readDouble(reader: Reader): Word {
  reader.at++
  const word: Word = [{ kind: 'text', text: '', quoted: true }]
  readQuoted(reader, word, '"')
  if (reader.text[reader.at] === '"') reader.at++
  else fail(reader, 'a quote is never closed')
  return word
}

/** Text in which only `$`, backquotes and some backslashes mean something, up to a character or the end. */
export function readQuoted(reader: Reader, word: Word, end: '"' | ''): void {
  while (reader.at < reader.text.length && reader.text[reader.at] !== (end || undefined)) {
    const char = reader.text[reader.at]!
    if (char === '$') word.push(...readDollar(reader, true))
    else if (char === '`') word.push(readBackquotes(reader, true))
    else if (char === '\\') {
      const after = reader.text[reader.at + 1] ?? ''
      const taken = '$`\\\n'.includes(after) || (end !== '' && after === end)
      word.push({ kind: 'text', text: taken ? after.replace('\n', '') : `\\${after}`, quoted: true })
      reader.at += 2
    } else word.push({ kind: 'text', text: take(reader, end ? /[^"$`\\]+/y : /[^$`\\]+/y)!, quoted: true })
  }
}

/** `` ` … ` ``, at its opening. */
export function readBackquotes(reader: Reader, quoted: boolean): Part {
  reader.at++
  const inside = takeEscaped(reader, /[^`\\]+/y)
  if (reader.text[reader.at] === '`') reader.at++
  else fail(reader, 'a backquote is never closed')
  const text = inside.replace(quoted ? /\\([$`\\"])/g : /\\([$`\\])/g, '$1')
  return { kind: 'command', script: within(reader, text, inner => inner.script(inner, []), []), quoted }
}

/** Text with its backslashes and what they escape; a loop, for one pattern over a megabyte has no room. */
function takeEscaped(reader: Reader, plain: RegExp): string {
  const start = reader.at
  while (take(reader, plain) !== null || take(reader, /\\[\s\S]/y) !== null);
  return reader.text.slice(start, reader.at)
}

const ESCAPES: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
}

/** `$' … '` after its opening: with its escapes decoded, for `$'\x72m'` is `rm`. */
function readAnsi(reader: Reader): Part {
  const inside = takeEscaped(reader, /[^'\\]+/y)
  if (reader.text[reader.at] === "'") reader.at++
  else fail(reader, 'a quote is never closed')
  return { kind: 'text', text: decodeEscapes(inside), quoted: true }
}

export const decodeEscapes = (text: string): string =>
  text.replace(/\\(x[\da-f]{1,2}|u[\da-f]{1,4}|U[\da-f]{1,8}|[0-7]{1,4}|[\s\S])/gi, (_, code: string) => {
    const hex = /^[xuU]([\da-f]+)$/i.exec(code)
    const value = hex ? Number.parseInt(hex[1]!, 16) : /^[0-7]/.test(code) ? Number.parseInt(code, 8) : null
    if (value === null) return ESCAPES[code] ?? code
    return value <= 0x10ffff ? String.fromCodePoint(value) : ''
  })

const MARKS: Record<string, string> = { '*': STAR, '?': ANY, '{': OPEN, ',': COMMA, '}': CLOSE }

/** Unquoted text: its characters that mean something become marks. */
export const markText = (text: string): string => text.replace(/[*?{},]/g, char => MARKS[char]!)
