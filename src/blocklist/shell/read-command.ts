import { readArithmetic, readParenthesized } from './read-expansion.ts'
import { readValue, readWord } from './read-word.ts'
import { fail, isAhead, nested, type Reader, take } from './reader.ts'
import { type Assign, type Node, type Redirect, type Script, show, type Word } from './shell.ts'

/** The next command, compound or not; null where none begins. */
export function readCommand(reader: Reader): Node | null {
  // Words before a command that change nothing in what it does.
  while (take(reader, /(?:!|time(?:[ \t]+-p)?|coproc|then|elif|else|do)(?=\s)/y) !== null) skipBlanks(reader)
  if (isAhead(reader, /\(\(/y)) {
    const number = readArithmetic(reader, 2)
    if (number !== null) return { kind: 'call', assigns: [], words: [[number]], redirects: [] }
  }
  if (take(reader, /\(/y) !== null)
    return {
      kind: 'group',
      script: readParenthesized(reader),
      subshell: true,
      redirects: readRedirects(reader),
    }
  const keyword = take(reader, /(?:if|while|until|for|select|case|function|\{|\[\[)(?=[\s(;]|$)/y)
  if (keyword !== null) return nested(reader, () => readCompound(reader, keyword), null)
  const name = take(reader, /[^\s'"\\$`|&;()<>=]{1,255}[ \t]*\([ \t]*\)/y)
  if (name !== null) return readFunction(reader, name.slice(0, name.indexOf('(')).trim())
  return readSimple(reader)
}

export function skipBlanks(reader: Reader): void {
  while (take(reader, /[ \t\r]+/y) !== null || take(reader, /\\\r?\n/y) !== null);
  take(reader, /#[^\n]*/y)
}

function readCompound(reader: Reader, keyword: string): Node | null {
  const upTo = (...ends: string[]): Script => {
    const script = reader.script(reader, ends)
    if (!ends.some(end => takeWord(reader, end))) fail(reader, `"${ends.at(-1)}" is missing`)
    return script
  }
  switch (keyword) {
    case '{':
      return { kind: 'group', script: upTo('}'), subshell: false, redirects: readRedirects(reader) }
    case 'if':
      return { kind: 'group', script: upTo('fi'), subshell: false, redirects: readRedirects(reader) }
    case 'while':
    case 'until':
      return {
        kind: 'loop',
        head: upTo('do'),
        until: keyword === 'until',
        body: upTo('done'),
        redirects: readRedirects(reader),
      }
    case 'for':
    case 'select':
      return readFor(reader, upTo)
    case 'case':
      return readCase(reader)
    case 'function': {
      skipBlanks(reader)
      const name = take(reader, /[^\s'"\\$`|&;()<>]{1,255}(?:[ \t]*\([ \t]*\))?/y) ?? ''
      return readFunction(reader, name.replace(/[ \t]*\(.*/, ''))
    }
    default:
      return readTest(reader)
  }
}

function takeWord(reader: Reader, word: string): boolean {
  if (!reader.text.startsWith(word, reader.at)) return false
  reader.at += word.length
  return true
}

function readFor(reader: Reader, upTo: (...ends: string[]) => Script): Node {
  skipBlanks(reader)
  const start = reader.at
  const counts = isAhead(reader, /\(\(/y) ? readArithmetic(reader, 2) : null
  // `for (( … ; ; … ))` has no condition, so it never ends.
  const isEndless = counts !== null && /;\s*;/.test(reader.text.slice(start, reader.at))
  const name = counts === null ? (take(reader, /\w{1,255}/y) ?? '') : ''
  const values: Word[] = counts === null ? [] : [[counts]]
  skipSpace(reader)
  if (take(reader, /in(?=[\s;]|$)/y) !== null)
    for (skipBlanks(reader); ; skipBlanks(reader)) {
      const word = readWord(reader)
      if (word.length === 0) break
      values.push(word)
    }
  take(reader, /[ \t]*;?/y)
  skipSpace(reader)
  const isBraced = takeWord(reader, '{')
  if (!isBraced && take(reader, /do(?=[\s;(]|$)/y) === null) fail(reader, '"do" is missing')
  return {
    kind: 'each',
    name,
    values: isEndless ? null : values,
    body: upTo(isBraced ? '}' : 'done'),
    redirects: readRedirects(reader),
  }
}

function readCase(reader: Reader): Node {
  skipBlanks(reader)
  const subject = readWord(reader)
  skipSpace(reader)
  take(reader, /in(?=\s)/y)
  const script: Script = [
    {
      nodes: [
        {
          kind: 'call',
          assigns: [],
          words: [[{ kind: 'text', text: 'case', quoted: true }], subject],
          redirects: [],
        },
      ],
      background: false,
    },
  ]
  for (;;) {
    skipSpace(reader)
    if (take(reader, /esac(?=[\s;&|()<>]|$)/y) !== null) break
    if (reader.at >= reader.text.length) {
      fail(reader, '"esac" is missing')
      break
    }
    take(reader, /\(/y)
    while (reader.at < reader.text.length && take(reader, /[ \t]*\)/y) === null)
      if (take(reader, /[ \t|\n]+/y) === null && readWord(reader).length === 0) reader.at++
    script.push(...reader.script(reader, [';;', 'esac']))
    take(reader, /;;&|;;|;&/y)
  }
  return { kind: 'group', script, subshell: false, redirects: readRedirects(reader) }
}

/** `[[ … ]]`: only what is substituted in it matters. */
function readTest(reader: Reader): Node {
  const words: Word[] = [[{ kind: 'text', text: '[[', quoted: true }]]
  while (reader.at < reader.text.length) {
    if (take(reader, /\s+/y) !== null) continue
    if (take(reader, /\]\](?=[\s;&|()<>]|$)/y) !== null) break
    const word = readWord(reader)
    if (word.length === 0) reader.at++
    else words.push(word)
  }
  return { kind: 'call', assigns: [], words, redirects: [] }
}

function readFunction(reader: Reader, name: string): Node | null {
  skipSpace(reader)
  const body = nested(reader, () => readCommand(reader), null)
  return body === null ? null : { kind: 'function', name, body }
}

function skipSpace(reader: Reader): void {
  do skipBlanks(reader)
  while (take(reader, /\n/y) !== null)
}

function readSimple(reader: Reader): Node | null {
  const assigns: Assign[] = []
  const words: Word[] = []
  const redirects: Redirect[] = []
  for (skipBlanks(reader); reader.at < reader.text.length; skipBlanks(reader)) {
    const redirect = readRedirect(reader)
    if (redirect !== null) {
      redirects.push(redirect)
      continue
    }
    const assigned = words.length === 0 ? take(reader, /[A-Za-z_]\w{0,255}(?:\[[^\]\s]{0,64}\])?\+?=/y) : null
    if (assigned !== null) {
      assigns.push({ name: /^\w+/.exec(assigned)![0], value: readValue(reader) })
      continue
    }
    const word = readWord(reader)
    if (word.length === 0) break
    words.push(word)
  }
  return assigns.length + words.length + redirects.length > 0
    ? { kind: 'call', assigns, words, redirects }
    : null
}

function readRedirects(reader: Reader): Redirect[] {
  const redirects: Redirect[] = []
  for (;;) {
    skipBlanks(reader)
    const redirect = readRedirect(reader)
    if (redirect === null) return redirects
    redirects.push(redirect)
  }
}

const OPERATOR = /(?:\d{1,9}|\{\w{1,99}\})?(?:<<<|<<-?|<>|<&|>>|>\||>&|<(?!\()|>(?!\())|&>>?/y

function readRedirect(reader: Reader): Redirect | null {
  const op = take(reader, OPERATOR)?.replace(/^(?:\d+|\{\w+\})/, '') ?? null
  if (op === null) return null
  skipBlanks(reader)
  const start = reader.at
  const target = readWord(reader)
  const redirect: Redirect = { op, target, body: null }
  if (op === '<<' || op === '<<-') {
    const written = reader.text.slice(start, reader.at)
    const end = show(target.map(part => (part.kind === 'text' ? part.text : '')).join(''))
    reader.pending.push({ redirect, end, literal: /['"\\]/.test(written), tabs: op === '<<-' })
  }
  return redirect
}
