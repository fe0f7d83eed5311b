import { type Call, lastOf, type ShellStep } from './call.ts'
import { downloads } from './downloads.ts'
import { joinPath } from './paths.ts'
import { printed, substituted } from './printed.ts'
import { resolve, resolveOne, type Scope } from './resolve.ts'
import { readShell } from './shell/read-shell.ts'
import { MAYBE, type Node, type Pipeline, type Redirect, type Script, SOME } from './shell/shell.ts'
import { unwrap } from './wrappers.ts'

/** Scripts in scripts (`sh -c`, `eval`) and functions in functions are followed this far. */
const MAX_DEPTH = 12
/** No command line that a person writes comes near: here-documents are no words. */
const MAX_WORDS = 20_000
const MAX_NESTED = 2_000_000
const MAX_VALUES = 16
const MAX_VALUE = 256

type Input = Call['input']
type Came = { calls: Call[]; text: string | null }

const NOTHING: Input = { calls: [], text: null }

/** Everything a command line would start, as far as it can be told without running it. */
export function walk(command: string): ShellStep[] {
  const steps: ShellStep[] = []
  const functions = new Map<string, Node>()
  const fetched = new Set<string>()
  let cwd = '.'
  let depth = 0
  let expansions = 200
  let wordsLeft = MAX_WORDS
  let nestedLeft = MAX_NESTED
  /** Where the calls of a substitution are noted for the call that they become part of. */
  let within: Call[] = []

  const scope: Scope = {
    variables: new Map(),
    room: 1_000_000,
    substitute(script) {
      const outer = within
      within = []
      const came = apart(() => walkScript(script, NOTHING))
      within = [...outer.slice(0, 64), ...came.calls.slice(0, 64)]
      return substituted(came.text)
    },
  }

  /** A shell of its own: what it changes does not come back. */
  function apart<T>(work: () => T): T {
    const before = cwd
    const result = work()
    cwd = before
    return result
  }

  function deeper<T>(work: () => T, otherwise: T): T {
    if (depth >= MAX_DEPTH) {
      steps.push({ kind: 'unreadable', why: 'it nests too deeply' })
      return otherwise
    }
    depth++
    const result = work()
    depth--
    return result
  }

  function walkText(text: string, input: Input): Came {
    nestedLeft -= text.length
    if (depth > 0 && nestedLeft < 0) {
      steps.push({ kind: 'unreadable', why: 'it holds too many scripts' })
      return { calls: [], text: null }
    }
    return deeper(
      () => {
        const { script, problem } = readShell(text)
        const came = walkScript(script, input)
        if (problem !== null) steps.push({ kind: 'unreadable', why: problem })
        return came
      },
      { calls: [], text: null },
    )
  }

  function walkScript(script: Script, input: Input): Came {
    const came = script.map(pipeline => walkPipeline(pipeline, input))
    const texts = came.map(({ text }) => text)
    return {
      calls: came.flatMap(({ calls }) => calls),
      text: texts.includes(null) || texts.length === 0 ? null : texts.join('\n'),
    }
  }

  function walkPipeline({ nodes, background }: Pipeline, input: Input): Came {
    const pipeline: Call[] = []
    let from = input
    let came: Came = { calls: [], text: null }
    for (const node of nodes) {
      came = walkNode(node, from, pipeline, background)
      // A shell in the middle of a pipe prints what nobody knows, and what came before it came from there.
      from = nodes.length > 1 ? { calls: [...from.calls, ...came.calls].slice(-64), text: came.text } : came
    }
    return { calls: nodes.length > 1 ? pipeline.slice() : came.calls, text: came.text }
  }

  function walkNode(node: Node, input: Input, pipeline: Call[], background: boolean): Came {
    if (wordsLeft < 0) return { calls: [], text: null }
    switch (node.kind) {
      case 'call':
        return walkCall(node, input, pipeline, background)
      case 'group': {
        const work = () => walkScript(node.script, inputOf(readRedirects(node.redirects), input))
        const came = node.subshell ? apart(work) : work()
        noteRedirects(node.redirects, pipeline)
        pipeline.push(...came.calls)
        return came
      }
      case 'loop': {
        const head = walkScript(node.head, input)
        const body = walkScript(node.body, inputOf(readRedirects(node.redirects), input))
        noteRedirects(node.redirects, pipeline)
        const [first] = head.calls
        const always = first?.name === ':' || first?.name === (node.until ? 'false' : 'true')
        steps.push({ kind: 'loop', endless: always && head.calls.length === 1, calls: body.calls })
        pipeline.push(...body.calls)
        return { calls: [...head.calls, ...body.calls], text: null }
      }
      case 'each': {
        const values = node.values?.flatMap(word => resolve(word, scope)) ?? []
        if (node.name !== '') assign(node.name, values.length > 0 ? values : [MAYBE])
        const body = walkScript(node.body, inputOf(readRedirects(node.redirects), input))
        noteRedirects(node.redirects, pipeline)
        steps.push({ kind: 'loop', endless: node.values === null, calls: body.calls })
        pipeline.push(...body.calls)
        return { calls: body.calls, text: null }
      }
      case 'function': {
        functions.set(node.name, node.body)
        // Its calls are judged here, too: a function may be called in ways that are not seen.
        const { calls } = apart(() => walkNode(node.body, NOTHING, [], false))
        steps.push({ kind: 'function', name: node.name, calls })
        return { calls: [], text: null }
      }
    }
  }

  function assign(name: string, values: string[]): void {
    const fit = values.slice(0, MAX_VALUES).map(value => (value.length > MAX_VALUE ? SOME : value))
    scope.variables.set(name, fit)
  }

  function walkCall(
    node: Node & { kind: 'call' },
    input: Input,
    pipeline: Call[],
    background: boolean,
  ): Came {
    const outer = within
    within = []
    const values = node.assigns.map(({ name, value }) => ({ name, value: resolveOne(value, scope) }))
    const words = node.words.flatMap(word => resolve(word, scope))
    const redirects = readRedirects(node.redirects)
    if (words.length === 0) for (const { name, value } of values) assign(name, [value])
    const inner = within
    within = outer
    if (words.length === 0 && redirects.length === 0) return { calls: inner, text: '' }
    return startCall(words, {
      redirects,
      input: inputOf(redirects, input),
      pipeline,
      background,
      within: inner,
    })
  }

  function startCall(
    words: string[],
    around: Pick<Call, 'redirects' | 'input' | 'pipeline' | 'background' | 'within'>,
  ): Came {
    wordsLeft -= words.length + 1
    if (wordsLeft < 0) steps.push({ kind: 'unreadable', why: 'it has too many words' })
    const [program = '', ...args] = words
    const call: Call = { ...around, name: lastOf(program), words, args, cwd, fetched }
    call.pipeline.push(call)
    steps.push({ kind: 'call', call })
    if (call.name === 'cd' || call.name === 'pushd') cwd = joinPath(cwd, target(args))
    for (const file of downloads(call)) fetched.add(file)
    if (/^(?:export|local|declare|readonly|typeset)$/.test(call.name)) assignAll(args)
    const calls = [call]
    const { words: commands = [], scripts = [], own = args } = unwrap(call)
    call.args = own
    const shared = { ...around, pipeline: around.pipeline }
    for (const command of commands)
      if (command.length > 0)
        calls.push(...deeper(() => startCall(command, shared), { calls: [], text: null }).calls)
    for (const script of scripts) calls.push(...walkText(script, around.input).calls)
    const body = functions.get(program)
    if (body !== undefined && depth < MAX_DEPTH && expansions-- > 0) runFunction(body, args, around)
    const silent =
      commands.length + scripts.length === 0 && !call.redirects.some(({ op }) => op.includes('>'))
    return { calls, text: silent ? printed(call) : null }
  }

  /** Once more, with what it is called with. */
  function runFunction(
    body: Node,
    args: string[],
    { input, background }: Pick<Call, 'input' | 'background'>,
  ): void {
    args.slice(0, 9).forEach((arg, i) => {
      assign(String(i + 1), [arg])
    })
    assign('@', args)
    assign('*', args)
    depth++
    walkNode(body, input, [], background)
    depth--
    for (const name of ['@', '*', ...'123456789']) scope.variables.delete(name)
  }

  function assignAll(args: string[]): void {
    for (const arg of args) {
      const at = arg.indexOf('=')
      if (at > 0) assign(arg.slice(0, at), [arg.slice(at + 1)])
    }
  }

  const readRedirects = (redirects: Redirect[]): Call['redirects'] =>
    redirects.map(({ op, target, body }) => ({
      op,
      target: resolveOne(target, scope),
      body: body === null ? null : resolveOne(body, scope),
    }))

  /** A group's own redirections are judged as a call without a program. */
  function noteRedirects(redirects: Redirect[], pipeline: Call[]): void {
    if (redirects.length === 0) return
    const around = {
      redirects: readRedirects(redirects),
      input: NOTHING,
      pipeline,
      background: false,
      within: [],
    }
    steps.push({ kind: 'call', call: { ...around, name: '', words: [], args: [], cwd, fetched } })
  }

  walkText(command, NOTHING)
  return steps
}

const target = (args: string[]): string => args.find(arg => arg === '-' || !arg.startsWith('-')) ?? '~'

/** A redirection takes the place of what the pipe brings. */
function inputOf(redirects: Call['redirects'], input: Input): Input {
  const from = redirects.findLast(({ op }) => op.startsWith('<') && op !== '<&')
  if (from === undefined) return input
  if (from.op === '<<<') return { calls: [], text: from.target }
  return { calls: [], text: from.body }
}
