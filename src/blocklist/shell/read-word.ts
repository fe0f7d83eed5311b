import { fail, innerText, isAhead, nested, type Reader, readUpTo, take } from './reader.ts'
import { ANY, CLOSE, COMMA, HOME, MAYBE, OPEN, PROCESS, SOME, SPLIT, STAR } from './shell.ts'

const MARKS: Record<string, string> = { '*': STAR, '?': ANY, '{': OPEN, ',': COMMA, '}': CLOSE }

/** Variables whose meaning is known anywhere. `$PPID` is the agent itself. */
const KNOWN: Record<string, string> = { HOME, PWD: '.', OLDPWD: '..', IFS: SPLIT, PPID: 'PPID' }

const valueIn = (name: string): string => (Object.hasOwn(KNOWN, name) ? KNOWN[name]! : MAYBE)

/** The next word, with marks, or null if none begins here. Blanks before it must be gone. */
export function readWord(reader: Reader): string | null {
  const start = reader.at
  let word = take(reader, /~[\w.-]*(?=[/\s;&|()<>:]|$)/y) === null ? '' : HOME
  for (;;) {
    const part = readPart(reader)
    if (part === null) return reader.at > start ? word : null
    word += part
  }
}

function readPart(reader: Reader): string | null {
  const char = reader.text[reader.at]
  switch (char) {
    case "'":
      return readSingle(reader)
    case '"':
      return readDouble(reader)
    case '$':
      return readDollar(reader, false)
    case '`':
      return readBackquotes(reader, false)
    case '\\':
      return readEscape(reader)
    case '<':
    case '>':
      if (reader.text[reader.at + 1] !== '(') return null
      reader.at += 2
      reader.within.push(readUpTo(reader, ')'))
      return PROCESS
    case '(':
      // A pattern such as `!(a|b)`: which files it means is not known.
      return /[?*+@!]/.test(reader.text[reader.at - 1] ?? '') ? readPattern(reader) : null
    default:
      return take(reader, /[^\s'"$`\\<>()|&;]+/y)?.replace(/[*?{},]/g, mark => MARKS[mark]!) ?? null
  }
}

function readEscape(reader: Reader): string {
  reader.at += 2
  return (reader.text[reader.at - 1] ?? '').replace('\n', '')
}

function readPattern(reader: Reader): string {
  let open = 0
  do open += take(reader, /[^()]*[()]?/y)!.endsWith('(') ? 1 : -1
  while (open > 0 && reader.at < reader.text.length)
  return STAR
}

/** `' … '`, at its opening. */
function readSingle(reader: Reader): string {
  const start = reader.at + 1
  const end = reader.text.indexOf("'", start)
  if (end < 0) fail(reader, 'a quote is never closed')
  else reader.at = end + 1
  return reader.text.slice(start, end < 0 ? undefined : end)
}

/** `" … "`, at its opening. */
function readDouble(reader: Reader): string {
  reader.at++
  const text = readQuoted(reader, '"')
  if (reader.text[reader.at] === '"') reader.at++
  else fail(reader, 'a quote is never closed')
  return text
}

/** Text in which only `$`, backquotes and some backslashes mean something, up to a quote or to the end of all. */
export function readQuoted(reader: Reader, end: '"' | ''): string {
  let text = ''
  while (reader.at < reader.text.length && reader.text[reader.at] !== (end || undefined)) {
    const char = reader.text[reader.at]!
    if (char === '$') text += readDollar(reader, true)
    else if (char === '`') text += readBackquotes(reader, true)
    else if (char === '\\') {
      const after = reader.text[reader.at + 1] ?? ''
      text += '$`\\\n'.includes(after) || (end !== '' && after === end) ? '' : '\\'
      text += readEscape(reader)
    } else text += take(reader, end ? /[^"$`\\]+/y : /[^$`\\]+/y)!
  }
  return text
}

/** What `$` begins; it is the next character. */
function readDollar(reader: Reader, quoted: boolean): string {
  if (take(reader, /\$\(\(/y) !== null) {
    readArithmetic(reader)
    return SOME
  }
  if (take(reader, /\$\(/y) !== null) {
    reader.within.push(readUpTo(reader, ')'))
    return MAYBE
  }
  if (take(reader, /\$\{/y) !== null) return nested(reader, () => readParameter(reader, quoted), MAYBE)
  const name = take(reader, /\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])/y)
  if (name !== null) return valueIn(name.slice(1))
  if (!quoted && take(reader, /\$'/y) !== null) return decodeEscapes(readEscaped(reader, "'"))
  reader.at++
  return !quoted && isAhead(reader, /"/y) ? '' : '$'
}

/**
 * The rest of `(( … ))`: only the scripts in it matter. A subshell at the start of a substitution looks the same up to its
 * end; it is not read a second time.
 */
export const readArithmetic = (reader: Reader): void => nested(reader, () => readNumber(reader), undefined)

function readNumber(reader: Reader): void {
  for (let open = 0; reader.at < reader.text.length; ) {
    const char = reader.text[reader.at]
    if (char === '$') readDollar(reader, true)
    else if (char === '`') readBackquotes(reader, true)
    else {
      reader.at++
      if (char === '(') open++
      if (char !== ')' || open-- > 0) continue
      if (take(reader, /\)/y) === null) fail(reader, 'its parentheses are too tangled')
      return
    }
  }
  fail(reader, 'a parenthesis is never closed')
}

/** The rest of `${ … }`. */
function readParameter(reader: Reader, quoted: boolean): string {
  const isWhole = take(reader, /[#!](?=[\w@*])/y) === null
  const name = take(reader, /[A-Za-z_]\w*|[0-9]+|[@*#?$!-]/y) ?? ''
  take(reader, /\[[^\]\s]{0,64}\]/y)
  const operator = take(reader, /:?[-=?+]/y) ?? ''
  const rest = readUntilBrace(reader, quoted)
  if (!isWhole) return MAYBE
  if (operator.endsWith('?')) return SOME
  if (/[-=]$/.test(operator)) return rest || MAYBE
  return operator + rest === '' ? valueIn(name) : MAYBE
}

function readUntilBrace(reader: Reader, quoted: boolean): string {
  let text = ''
  while (reader.at < reader.text.length) {
    const char = reader.text[reader.at]!
    if (take(reader, /\}/y) !== null) return text
    if (char === '$') text += readDollar(reader, quoted)
    else if (char === '`') text += readBackquotes(reader, quoted)
    else if (char === '"') text += readDouble(reader)
    else if (char === "'" && !quoted) text += readSingle(reader)
    else if (char === '\\') text += readEscape(reader)
    else text += take(reader, /[^}$`"'\\]+|'/y)!
  }
  fail(reader, 'a brace is never closed')
  return text
}

/** `` ` … ` ``, at its opening. */
function readBackquotes(reader: Reader, quoted: boolean): string {
  reader.at++
  const text = readEscaped(reader, '`').replace(quoted ? /\\([$`\\"])/g : /\\([$`\\])/g, '$1')
  reader.within.push(innerText(reader, text, inner => inner.readScript(inner, []), []))
  return MAYBE
}

/** Text up to a quote, with its backslashes. It is a loop because one pattern over a megabyte has no room. */
function readEscaped(reader: Reader, end: "'" | '`'): string {
  const start = reader.at
  const plain = end === '`' ? /[^`\\]+/y : /[^'\\]+/y
  while (take(reader, plain) !== null || take(reader, /\\[\s\S]/y) !== null);
  const text = reader.text.slice(start, reader.at)
  if (reader.text[reader.at] === end) reader.at++
  else fail(reader, `a ${end === '`' ? 'backquote' : 'quote'} is never closed`)
  return text
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', e: '\x1b', E: '\x1b' }

/** Text with the escapes of `$' … '`, `echo -e` and `printf` decoded: `\x72m` is `rm`. */
export const decodeEscapes = (text: string): string =>
  text.replace(/\\(x[\da-f]{1,2}|u[\da-f]{1,4}|U[\da-f]{1,8}|[0-7]{1,4}|[\s\S])/gi, (_, code: string) => {
    const hex = /^[xuU]([\da-f]+)$/i.exec(code)
    const value = hex ? Number.parseInt(hex[1]!, 16) : /^[0-7]/.test(code) ? Number.parseInt(code, 8) : null
    if (value === null) return ESCAPES[code] ?? code
    return value <= 0x10ffff ? String.fromCodePoint(value) : ''
  })

/** Longer words are not expanded, nor more words made of one. */
const MAX_LENGTH = 1000
const MAX_WORDS = 32

/** `{a,b}c` → ac, bc, from the inside out. Braces that expand nothing stand for themselves. */
export function expandWord(word: string): string[] {
  let words = [word]
  const hasMore = () => words.length < MAX_WORDS && words.some(text => INNERMOST.test(text))
  while (word.length <= MAX_LENGTH && hasMore()) words = words.flatMap(expandInnermost).slice(0, MAX_WORDS)
  const plain = words.map(text => text.replace(/[\uE005-\uE007]/g, mark => BRACES[mark]!))
  return [...new Set(plain)].flatMap(text => (text === '' ? [''] : text.split(SPLIT).filter(Boolean)))
}

const INNERMOST = /\uE005([^\uE005\uE007]*)\uE007/
const BRACES: Record<string, string> = { [OPEN]: '{', [COMMA]: ',', [CLOSE]: '}' }

function expandInnermost(word: string): string[] {
  const found = INNERMOST.exec(word)
  if (found === null) return [word]
  const [all, list] = [found[0], found[1]!]
  const choices = list.includes(COMMA) ? list.split(COMMA) : [`{${list}}`]
  return choices.map(choice => word.slice(0, found.index) + choice + word.slice(found.index + all.length))
}
