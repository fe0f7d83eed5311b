import {
  markText,
  readBackquotes,
  readDollar,
  readDouble,
  readParenthesized,
  readSingle,
} from './read-expansion.ts'
import { isAhead, nested, type Reader, take } from './reader.ts'
import { HOME, type Part, STAR, type Word } from './shell.ts'

/** The next word; empty where there is none. Blanks before it must be gone. */
export function readWord(reader: Reader): Word {
  const word: Word = []
  if (take(reader, /~[\w.-]*(?=[/\s;&|()<>:]|$)/y) !== null) word.push(plain(HOME))
  while (reader.at < reader.text.length) {
    const part = readPart(reader)
    if (part === null) break
    word.push(...part)
  }
  return word
}

const plain = (text: string): Part => ({ kind: 'text', text, quoted: false })

function readPart(reader: Reader): Word | null {
  const char = reader.text[reader.at]!
  switch (char) {
    case "'":
      return [readSingle(reader)]
    case '"':
      return readDouble(reader)
    case '$':
      return readDollar(reader, false)
    case '`':
      return [readBackquotes(reader, false)]
    case '\\':
      return [readEscape(reader)]
    case '<':
    case '>':
      if (reader.text[reader.at + 1] !== '(') return null
      reader.at += 2
      return [{ kind: 'process', script: readParenthesized(reader) }]
    case '(':
      // A pattern such as `!(a|b)`: which files it means is not known.
      return /[?*+@!]/.test(reader.text[reader.at - 1] ?? '') ? [readPattern(reader)] : null
    default: {
      const text = take(reader, /[^\s'"$`\\<>()|&;]+/y)
      return text === null ? null : [plain(markText(text))]
    }
  }
}

function readEscape(reader: Reader): Part {
  const text = reader.text[reader.at + 1] ?? ''
  reader.at += 2
  return { kind: 'text', text: text === '\n' ? '' : text, quoted: true }
}

function readPattern(reader: Reader): Part {
  let open = 0
  do {
    const char = take(reader, /[^()]*[()]?/y)!.at(-1)
    open += char === '(' ? 1 : -1
  } while (open > 0 && reader.at < reader.text.length)
  return plain(STAR)
}

/** What follows `name=`: a word, or a list in parentheses, whose words then stand together. */
export function readValue(reader: Reader): Word {
  if (reader.text[reader.at] !== '(') return readWord(reader)
  reader.at++
  return nested(reader, () => readList(reader), [])
}

function readList(reader: Reader): Word {
  const list: Word = []
  while (reader.at < reader.text.length) {
    while (take(reader, /\s+/y) !== null || take(reader, /#[^\n]*/y) !== null);
    if (isAhead(reader, /\)/y)) break
    const word = readWord(reader)
    if (word.length === 0) reader.at++
    else list.push(...(list.length > 0 ? [plain(' ')] : []), ...word)
  }
  reader.at++
  return list
}
