import { type Call, lastOf, type ShellStep } from './call.ts'
import { downloads, printed } from './effects.ts'
import { joinPath } from './paths.ts'
import { readShell } from './shell/read-shell.ts'
import { HOME, type Node, type Pipeline, type Redirect, type Script, SOME } from './shell/shell.ts'
import { unwrap } from './wrappers.ts'

/** Scripts in scripts (`sh -c`, `eval`) are followed this far. */
const MAX_DEPTH = 12
/** Far more than a person writes: here-documents are not words. */
const MAX_WORDS = 20_000
const MAX_NESTED = 2_000_000

/** A way through a command line: what was found, the folder it has come to, and what may still be read. */
type Walk = {
  steps: ShellStep[]
  fetched: Set<string>
  project: string
  cwd: string
  depth: number
  wordsLeft: number
  nestedLeft: number
}

/** What comes out of a part of the command line: the calls that print it, and the text if it is known. */
type Output = Call['input']

/** What surrounds a call. */
type Around = Pick<Call, 'input' | 'pipeline' | 'background'>

const NOTHING: Output = { calls: [], text: null }

/** Everything that a command line in the folder `project` would start, found without running it. */
export function walk(command: string, project: string): ShellStep[] {
  const limits = { depth: 0, wordsLeft: MAX_WORDS, nestedLeft: MAX_NESTED }
  const state: Walk = { steps: [], fetched: new Set(), project, cwd: '.', ...limits }
  walkText(state, command, NOTHING)
  return state.steps
}

function giveUp(walk: Walk, why: string): Output {
  walk.steps.push({ kind: 'unreadable', why })
  return NOTHING
}

function walkText(walk: Walk, text: string, input: Output): Output {
  if (walk.depth >= MAX_DEPTH) return giveUp(walk, 'it nests too deeply')
  walk.nestedLeft -= walk.depth > 0 ? text.length : 0
  if (walk.nestedLeft < 0) return giveUp(walk, 'it holds too many scripts')
  walk.depth++
  const { script, problem } = readShell(text)
  const output = walkScript(walk, script, input)
  walk.depth--
  if (problem !== null) giveUp(walk, problem)
  return output
}

function walkScript(walk: Walk, script: Script, input: Output): Output {
  const outputs = script.map(pipeline => walkPipeline(walk, pipeline, input))
  const texts = outputs.map(({ text }) => text)
  return {
    calls: outputs.flatMap(({ calls }) => calls),
    text: texts.includes(null) || texts.length === 0 ? null : texts.join('\n'),
  }
}

/** A shell of its own: a `cd` in it does not last. */
function walkApart(walk: Walk, script: Script, input: Output): Output {
  const { cwd } = walk
  const output = walkScript(walk, script, input)
  walk.cwd = cwd
  return output
}

function walkPipeline(walk: Walk, { nodes, background }: Pipeline, input: Output): Output {
  const pipeline: Call[] = []
  let from = input
  let output = NOTHING
  for (const node of nodes) {
    output = walkNode(walk, node, { input: from, pipeline, background })
    // What came before may pass through: `curl … | tee x | sh`.
    from = { calls: [...from.calls, ...output.calls].slice(-64), text: output.text }
  }
  return nodes.length > 1 ? { calls: pipeline, text: output.text } : output
}

function walkNode(walk: Walk, node: Node, around: Around): Output {
  if (walk.wordsLeft < 0) return NOTHING
  const within = node.within.flatMap(script => walkApart(walk, script, NOTHING).calls).slice(0, 64)
  const { redirects } = node
  const input = inputOf(redirects, around.input)
  if (node.kind === 'call') return startCall(walk, node.words, redirects, within, { ...around, input })
  if (node.kind === 'function') {
    const { cwd } = walk
    const { calls } = walkNode(walk, node.body, { input: NOTHING, pipeline: [], background: false })
    walk.cwd = cwd
    walk.steps.push({ kind: 'function', name: node.name, calls })
    return { calls: [], text: null }
  }
  const isApart = node.kind === 'group' && node.subshell
  const output = (isApart ? walkApart : walkScript)(walk, node.script, input)
  if (node.kind === 'loop') walk.steps.push({ kind: 'loop', endless: node.endless, calls: output.calls })
  // A group's own redirections are judged as a call without a program.
  startCall(walk, [], redirects, within, { ...around, input: NOTHING, pipeline: [] })
  around.pipeline.push(...output.calls)
  return node.kind === 'loop' ? { ...output, text: null } : output
}

function startCall(
  walk: Walk,
  words: string[],
  redirects: Redirect[],
  within: Call[],
  around: Around,
): Output {
  if (words.length + redirects.length === 0) return { calls: within, text: '' }
  walk.wordsLeft -= words.length + 1
  if (walk.wordsLeft < 0) return giveUp(walk, 'it has too many words')
  const [program = '', ...args] = words
  const { project, cwd, fetched } = walk
  const call: Call = {
    ...around,
    name: nameOf(program),
    words,
    args,
    redirects,
    within,
    project,
    cwd,
    fetched,
  }
  call.pipeline.push(call)
  walk.steps.push({ kind: 'call', call })
  if (call.name === 'cd' || call.name === 'pushd') walk.cwd = joinPath(cwd, folderIn(args))
  for (const file of downloads(call)) walk.fetched.add(file)
  const { words: commands = [], scripts = [], own = args } = unwrap(call)
  call.args = own
  const calls = [call]
  for (const command of commands) if (command.length > 0) calls.push(...startInner(walk, command, call).calls)
  for (const script of scripts) calls.push(...walkText(walk, script, around.input).calls)
  const starts = commands.length + scripts.length > 0
  return { calls, text: starts || redirects.some(({ op }) => op.includes('>')) ? null : printed(call) }
}

function startInner(walk: Walk, words: string[], { redirects, within, ...around }: Call): Output {
  if (walk.depth >= MAX_DEPTH) return giveUp(walk, 'it nests too deeply')
  walk.depth++
  const { input, pipeline, background } = around
  const output = startCall(walk, words, redirects, within, { input, pipeline, background })
  walk.depth--
  return output
}

/** `python3.12` is python, `mkfs.ext4` is mkfs. */
const nameOf = (program: string): string =>
  lastOf(program).replace(/^(?:(python|gpg|ruby|perl|php)[\d.]*|(mkfs|newfs)[\d._a-z]*)$/, '$1$2')

/** Where `cd` leads; what `cd -` leads back to is not known. */
const folderIn = (args: string[]): string =>
  args.find(arg => !arg.startsWith('-')) ?? (args.includes('-') ? SOME : HOME)

/** A redirection takes the place of what the pipe brings. */
function inputOf(redirects: Redirect[], input: Output): Output {
  const from = redirects.findLast(({ op }) => op.startsWith('<') && op !== '<&')
  if (from === undefined) return input
  return { calls: [], text: from.op === '<<<' ? from.target : from.body }
}
