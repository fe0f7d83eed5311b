import { expandWord, readArithmetic, readQuoted, readWord } from './read-word.ts'
import { fail, innerText, isAhead, nested, type Reader, readUpTo, take } from './reader.ts'
import { type Node, type Pipeline, type Redirect, type Script, show } from './shell.ts'

/**
 * Reads a command line as bash would, without running anything. It takes time in proportion to the length, whatever
 * it is given. What a shell would refuse is read up to the problem, which `problem` names.
 */
export function readShell(text: string): { script: Script; problem: string | null } {
  const reader: Reader = { text, at: 0, depth: 0, problem: null, pending: [], within: [], readScript }
  return { script: readScript(reader, []), problem: reader.problem }
}

/** What ends a script inside another; `;` stands for all that end a branch of `case`. */
const END = /\)|;(?=[;&])|(?:fi|done|esac|\})(?=[\s;&|()<>]|$)/y

/** A list of pipelines, up to one of the given ends, which is left for the caller. */
function readScript(reader: Reader, ends: readonly string[]): Script {
  const script: Script = []
  while (reader.at < reader.text.length) {
    skipBlanks(reader)
    const before = reader.at
    if (isEnd(reader, ends)) break
    const pipeline = readPipeline(reader)
    if (pipeline.nodes.length > 0) script.push(pipeline)
    if (isEnd(reader, ends)) break
    const separator = take(reader, /;;&|;;|;&|;|&&|\|\||&|\n/y)
    if (separator === '&') pipeline.background = true
    if (separator === '\n') readBodies(reader)
    // Nothing here begins a command, such as a `)` too many: a shell would refuse, this looks at the rest.
    if (reader.at === before) reader.at++
  }
  return script
}

function isEnd(reader: Reader, ends: readonly string[]): boolean {
  if (ends.length === 0) return false
  const start = reader.at
  const end = take(reader, END)
  reader.at = start
  return end !== null && ends.includes(end)
}

function readPipeline(reader: Reader): Pipeline {
  const pipeline: Pipeline = { nodes: [], background: false }
  do {
    skipBlanks(reader)
    while (pipeline.nodes.length > 0 && take(reader, /\n/y) !== null) {
      readBodies(reader)
      skipBlanks(reader)
    }
    const node = readCommand(reader)
    if (node === null) break
    pipeline.nodes.push(node)
    skipBlanks(reader)
  } while (!isAhead(reader, /\|\|/y) && take(reader, /\|&?/y) !== null)
  return pipeline
}

/** The next command, compound or not, or null if none begins here. */
function readCommand(reader: Reader): Node | null {
  // Words before a command that change nothing in what it does.
  while (take(reader, /(?:!|time(?:[ \t]+-p)?|coproc|then|elif|else|do)(?=\s)/y) !== null) skipBlanks(reader)
  const outer = reader.within
  reader.within = []
  const node = readNode(reader)
  reader.within = outer
  return node
}

function readNode(reader: Reader): Node | null {
  if (take(reader, /\(\(/y) !== null) {
    readArithmetic(reader)
    return { kind: 'call', words: [], redirects: [], within: reader.within }
  }
  if (take(reader, /\(/y) !== null) return { ...around(reader, readUpTo(reader, ')')), subshell: true }
  const keyword = take(reader, /(?:if|while|until|for|select|case|function|\{|\[\[)(?=[\s(;]|$)/y)
  if (keyword !== null) return nested(reader, () => readCompound(reader, keyword), null)
  const name = take(reader, /[^\s'"\\$`|&;()<>=]{1,255}[ \t]*\([ \t]*\)/y)
  return name === null ? readSimple(reader) : readFunction(reader, name)
}

/** A group with the redirections behind it. */
const around = (reader: Reader, script: Script) => ({
  kind: 'group' as const,
  script,
  subshell: false,
  redirects: readRedirects(reader),
  within: reader.within,
})

function skipBlanks(reader: Reader): void {
  while (take(reader, /[ \t\r]+/y) !== null || take(reader, /\\\r?\n/y) !== null);
  take(reader, /#[^\n]*/y)
}

function skipSpace(reader: Reader): void {
  do skipBlanks(reader)
  while (take(reader, /\n/y) !== null)
}

function readCompound(reader: Reader, keyword: string): Node | null {
  switch (keyword) {
    case '{':
      return around(reader, readUpTo(reader, '}'))
    case 'if':
      return around(reader, readUpTo(reader, 'fi'))
    case 'for':
    case 'select':
      return readLoop(reader, skipHeader(reader))
    case 'case':
      return around(reader, readCase(reader))
    case 'function':
      skipBlanks(reader)
      return readFunction(reader, take(reader, /[^\s'"\\$`|&;()<>]{1,255}(?:[ \t]*\([ \t]*\))?/y) ?? '')
    case '[[':
      skipWords(reader, /\]\](?=[\s;&|()<>]|$)/y)
      return { kind: 'call', words: [], redirects: [], within: reader.within }
    default:
      return readLoop(reader, keyword === 'until' ? /^false$/ : /^(?:true|:)$/)
  }
}

/** A loop up to `done`; without an end if that is said, or if the only call of its condition is one of these. */
function readLoop(reader: Reader, endless: boolean | RegExp): Node {
  const group = around(reader, readUpTo(reader, 'done'))
  const [condition] = group.script[0]?.nodes ?? []
  const isEndless =
    endless instanceof RegExp
      ? condition?.kind === 'call' && condition.words.length === 1 && endless.test(condition.words[0]!)
      : endless
  return { ...group, kind: 'loop', endless: isEndless }
}

/** Skips what stands between `for` and `do`: only the scripts in it matter. `for ((;;))` has no end. */
function skipHeader(reader: Reader): boolean {
  skipBlanks(reader)
  const start = reader.at
  if (take(reader, /\(\(/y) !== null) {
    readArithmetic(reader)
    return /;\s*;/.test(reader.text.slice(start, reader.at))
  }
  while (readWord(reader) !== null) skipBlanks(reader)
  return false
}

/** `case WORD in` is gone up to its keyword; patterns are skipped. */
function readCase(reader: Reader): Script {
  const script: Script = []
  skipBlanks(reader)
  readWord(reader)
  skipSpace(reader)
  take(reader, /in(?=\s)/y)
  for (skipSpace(reader); take(reader, /esac(?=[\s;&|()<>]|$)/y) === null; skipSpace(reader)) {
    if (reader.at >= reader.text.length) {
      fail(reader, '"esac" is missing')
      break
    }
    take(reader, /\(/y)
    skipWords(reader, /\)/y)
    script.push(...reader.readScript(reader, [';', 'esac']))
    take(reader, /;;&|;;|;&/y)
  }
  return script
}

/** Skips words up to an end, which is taken too: only the scripts in them matter. */
function skipWords(reader: Reader, end: RegExp, blank = /\s+/y): void {
  while (reader.at < reader.text.length && take(reader, end) === null)
    if (take(reader, blank) === null && readWord(reader) === null) reader.at++
}

function readFunction(reader: Reader, head: string): Node | null {
  skipSpace(reader)
  const body = nested(reader, () => readCommand(reader), null)
  const name = head.replace(/[ \t]*\(.*/, '')
  return body === null ? null : { kind: 'function', name, body, redirects: [], within: [] }
}

function readSimple(reader: Reader): Node | null {
  const start = reader.at
  const words: string[] = []
  const redirects: Redirect[] = []
  for (skipBlanks(reader); reader.at < reader.text.length; skipBlanks(reader)) {
    const redirect = readRedirect(reader)
    if (redirect !== null) redirects.push(redirect)
    else if (words.length > 0 || !skipAssignment(reader)) {
      const word = readWord(reader)
      if (word === null) break
      words.push(...expandWord(word))
    }
  }
  return reader.at > start ? { kind: 'call', words, redirects, within: reader.within } : null
}

/** Skips `name=value` before a command; its scripts run all the same. */
function skipAssignment(reader: Reader): boolean {
  if (take(reader, /[A-Za-z_]\w{0,255}(?:\[[^\]\s]{0,64}\])?\+?=/y) === null) return false
  if (take(reader, /\(/y) === null) readWord(reader)
  else skipWords(reader, /\)/y, /\s+|#[^\n]*/y)
  return true
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
  const target = readWord(reader) ?? ''
  const redirect: Redirect = { op, target: expandWord(target)[0] ?? '', body: null }
  if (op === '<<' || op === '<<-') {
    const literal = /['"\\]/.test(reader.text.slice(start, reader.at))
    const { pending, within } = reader
    pending.push({ redirect, within, end: show(target), literal, tabs: op === '<<-' })
  }
  return redirect
}

/** Reads the bodies of the here-documents that were announced on the line that has just ended. */
function readBodies(reader: Reader): void {
  for (const { redirect, within, end, literal, tabs } of reader.pending.splice(0)) {
    const start = reader.at
    let stop = reader.text.length
    while (reader.at < reader.text.length) {
      const from = reader.at
      const line = take(reader, /[^\n]*/y)!
      reader.at++
      if ((tabs ? line.replace(/^\t+/, '') : line) === end) {
        stop = from
        break
      }
    }
    const text = reader.text.slice(start, stop)
    const read = (inner: Reader) => readQuoted(Object.assign(inner, { within }), '')
    redirect.body = literal ? text : innerText(reader, text, read, '')
  }
}
