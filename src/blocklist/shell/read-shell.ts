import { readBodies } from './here-document.ts'
import { readCommand, skipBlanks } from './read-command.ts'
import { isAhead, type Reader, take } from './reader.ts'
import type { Pipeline, Script } from './shell.ts'

/**
 * Reads a command line as bash would, without running anything. It takes time in proportion to the length, whatever
 * it is given. What a shell would refuse is read as far as it goes; `problem` says what could not be read at all.
 */
export function readShell(text: string, depth = 0): { script: Script; problem: string | null } {
  const reader: Reader = { text, at: 0, depth, problem: null, pending: [], second: 16, script: readScript }
  return { script: readScript(reader, []), problem: reader.problem }
}

/** Words that only begin a command within something that they end or divide. */
const ENDS = /(?:then|elif|else|fi|do|done|esac|\})(?=[\s;&|()<>]|$)/y

/** A list of pipelines, up to one of the given ends, which is left for the caller. */
function readScript(reader: Reader, ends: readonly string[]): Script {
  const script: Script = []
  while (reader.at < reader.text.length) {
    skipBlanks(reader)
    const before = reader.at
    if (isEnd(reader, ends)) break
    const pipeline = readPipeline(reader)
    if (pipeline.nodes.length > 0) script.push(pipeline)
    if (ends.includes(';;') && isAhead(reader, /;;|;&/y)) break
    const separator = take(reader, /;;&|;;|;&|;|&&|\|\||&|\n/y)
    if (separator === '&') pipeline.background = true
    if (separator === '\n') readBodies(reader)
    // Nothing here begins a command, such as a `)` too many: a shell would refuse, we look at the rest.
    if (reader.at === before) reader.at++
  }
  return script
}

function isEnd(reader: Reader, ends: readonly string[]): boolean {
  if (ends.length === 0) return false
  if (reader.text[reader.at] === ')') return ends.includes(')')
  if (isAhead(reader, /;;|;&/y)) return ends.includes(';;')
  ENDS.lastIndex = reader.at
  const word = ENDS.exec(reader.text)?.[0]
  return word !== undefined && ends.includes(word)
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
