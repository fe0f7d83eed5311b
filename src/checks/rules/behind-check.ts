import { onOneLine } from '../../core/format.ts'
import { isObject, jsonIn } from '../../core/json.ts'
import { makeTarget } from './make-target.ts'

/** Gives the text of a file by its path in the repository, or null if there is none. */
export type ReadText = (path: string) => string | null

/** What a check runs beyond its own command: the texts, by a name for people. */
export type Behind = ReadonlyMap<string, string>

/** A script may call others, which call others. */
const DEEPEST = 6

/** Finds the scripts, targets and shell scripts that decide what a command really does. `folder` is where it runs. */
export function behindCheck(command: string, folder: string, read: ReadText): Behind {
  const found = new Map<string, string>()
  follow(command, folder, 0)
  return found

  function follow(line: string, at: string, depth: number): void {
    if (depth > DEEPEST) return
    let here = at
    for (const words of commandsIn(line)) {
      if (words[0] === 'cd' && words[1] !== undefined) here = join(here, words[1])
      else for (const part of partsOf(words, here, read)) add(part, depth)
    }
  }

  function add({ name, text, runs, folder }: Part, depth: number): void {
    if (found.has(name)) return
    found.set(name, text)
    for (const line of runs) follow(line, folder, depth + 1)
  }
}

/** `runs`: the commands in it, which may lead further. */
type Part = { name: string; text: string; runs: string[]; folder: string }

function partsOf(words: readonly string[], folder: string, read: ReadText): Part[] {
  const [program = '', ...rest] = words
  const name = program.replace(/^.*\//, '')
  switch (name) {
    case 'npm':
    case 'pnpm':
    case 'yarn':
    case 'bun':
      return packageScripts(name, rest, folder, read)
    case 'node': {
      const index = rest.indexOf('--run')
      if (index >= 0) return packageScript(rest[index + 1], folder, read)
      break
    }
    case 'run-s':
    case 'run-p':
    case 'npm-run-all':
    case 'npm-run-all2':
      return rest.flatMap(script => packageScript(script, folder, read))
    case 'make':
    case 'gmake':
      return makeTargets(rest, folder, read)
    case 'just':
      return justRecipes(rest, folder, read)
  }
  return scriptFile(words, folder, read)
}

/** npm and its like take flags with a value; those with a folder change where the script is looked for. */
function packageScripts(name: string, words: readonly string[], folder: string, read: ReadText): Part[] {
  let at = folder
  const plain: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    const [flag, value] = word.split('=', 2) as [string, string | undefined]
    if (word === '--') break
    if (/^(?:--prefix|-C|--cwd|--dir)$/.test(flag)) at = join(at, value ?? words[++i] ?? '')
    else if (/^(?:-w|--workspace|-F|--filter)$/.test(flag) && value === undefined) i++
    else if (!word.startsWith('-')) plain.push(word)
  }
  const [verb = '', script] = plain
  if (/^run(?:-script)?$/.test(verb)) return packageScript(script, at, read)
  if (name === 'npm') return packageScript({ t: 'test', tst: 'test' }[verb] ?? verb, at, read)
  return name === 'bun' && verb === 'test' ? [] : packageScript(verb, at, read)
}

function packageScript(name: string | undefined, folder: string, read: ReadText): Part[] {
  const path = join(folder, 'package.json')
  const json = objectIn(read(path))
  const scripts = isObject(json.scripts) ? json.scripts : {}
  const parts = [`pre${name}`, `${name}`, `post${name}`].flatMap(script =>
    partOf(script, scripts[script], `the script "${script}" of ${path}`, folder),
  )
  return parts.length > 0 ? [...parts, scriptSettings(folder, read)] : []
}

/** What decides how, where and whether npm and its like run a script. */
const SCRIPT_SETTING =
  /^["']?(?:script-?shell|shell-?emulator|shell|node-?options|ignore-?scripts|enable-?scripts|if-?present|workspaces?|include-workspace-root|prefix|dry-run)\b/i

/** There is always such a part: a setting that is new can take a whole script away. */
function scriptSettings(folder: string, read: ReadText): Part {
  const path = join(folder, '.npmrc')
  const lines = (read(path) ?? '').split('\n').map(onOneLine)
  const text = lines.filter(line => SCRIPT_SETTING.test(line)).join(', ')
  return { name: `the part of ${path} for scripts`, text, runs: [], folder }
}

/** npm writes a script that only says that there are no tests; replacing it takes nothing away. */
const PLACEHOLDER = /no test specified/

function partOf(script: string, text: unknown, name: string, folder: string): Part[] {
  if (script === '' || typeof text !== 'string' || PLACEHOLDER.test(text)) return []
  return [{ name, text: onOneLine(text), runs: [text], folder }]
}

/** The object in a text of JSON, or an empty one. */
export function objectIn(text: string | null): Record<string, unknown> {
  const value = text === null ? null : jsonIn(text)
  return isObject(value) ? value : {}
}

const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile']

function makeTargets(words: readonly string[], folder: string, read: ReadText): Part[] {
  let at = folder
  let files = MAKEFILES
  const targets: (string | null)[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!
    if (word === '-C') at = join(at, words[++i] ?? '')
    else if (word === '-f') files = [words[++i] ?? '']
    else if (!word.startsWith('-') && !word.includes('=')) targets.push(word)
  }
  const path = files.map(file => join(at, file)).find(file => read(file) !== null)
  if (path === undefined) return []
  return (targets.length > 0 ? targets : [null]).flatMap(target => {
    const found = makeTarget(withIncludes(path, at, read), target)
    if (!found) return []
    const name = `the target "${found.name}" of ${path}`
    return [{ name, text: found.text, runs: found.commands, folder: at }]
  })
}

/** A Makefile with the files that it includes in their places, each once. `folder` is where make runs. */
function withIncludes(path: string, folder: string, read: ReadText, seen = new Set<string>()): string {
  if (seen.has(path)) return ''
  seen.add(path)
  return (read(path) ?? '').replace(/^ *[-s]?include[ \t]+([^#\n]*)/gm, (_, names: string) =>
    names
      .trim()
      .split(/\s+/)
      .map(name => withIncludes(join(folder, name), folder, read, seen))
      .join('\n'),
  )
}

function justRecipes(words: readonly string[], folder: string, read: ReadText): Part[] {
  const path = ['justfile', 'Justfile', '.justfile']
    .map(file => join(folder, file))
    .find(p => read(p) !== null)
  const lines = path === undefined ? [] : read(path)!.split('\n')
  return words
    .filter(word => /^\w[\w-]*$/.test(word))
    .flatMap(word => {
      const start = lines.findIndex(line => new RegExp(`^@?${word}(?:\\s[^:=]*)?:(?!=)`).test(line))
      if (start < 0) return []
      const end = lines.findIndex((line, index) => index > start && /^\S/.test(line))
      const body = lines
        .slice(start + 1, end < 0 ? undefined : end)
        .map(onOneLine)
        .filter(Boolean)
      const needs = lines[start]!.replace(/^[^:]*:/, '')
        .split(/\s+/)
        .filter(Boolean)
      const text = [onOneLine(lines[start]!), ...body].join('\n')
      const name = `the recipe "${word}" of ${path}`
      return [{ name, text, runs: [...body, ...needs.map(need => `just ${need}`)], folder }]
    })
}

const SHELLS = /^(?:sh|bash|zsh|dash|ksh|source|\.)$/
const INTERPRETERS = /^(?:node|tsx|ts-node|bun|deno|python\d?(?:\.\d+)?|ruby|perl|php)$/

/** A script for another interpreter may be the program itself, so only those that are called like a check count. */
const CHECKLIKE =
  /(?:^|\/)(?:scripts?|tools?|ci|hack)\/|(?:^|[/_.-])(?:check|verify|lint|validate|guard|run[-_]tests?)/i

/** A shell script that the command names, or a script of another kind that is called like a check. */
function scriptFile(words: readonly string[], folder: string, read: ReadText): Part[] {
  const [program = '', ...rest] = words
  const isShell = SHELLS.test(program)
  const isOther = INTERPRETERS.test(program)
  const word = isShell || isOther ? rest.find(w => !w.startsWith('-') && w !== 'run') : program
  if (word === undefined || (isShell && rest[0] === '-c') || !/^[\w./@-]+$/.test(word)) return []
  const path = join(folder, word)
  const text = read(path)
  if (text === null) return []
  const counts = isShell || /\.(?:ba|z)?sh$/.test(path) || /^#!.*sh\b/.test(text) || CHECKLIKE.test(path)
  return counts ? [{ name: path, text: scriptText(text), runs: [], folder }] : []
}

/** Comments and blank lines decide nothing. */
const scriptText = (text: string): string =>
  text
    .split('\n')
    .map(onOneLine)
    .filter((line, index) => line !== '' && (index === 0 || !/^(?:#|\/\/)/.test(line)))
    .join('\n')

/** Programs that only start another. */
const WRAPPERS =
  /^(?:env|time|nice|exec|command|sudo|npx|bunx|pnpx|cross-env|dotenv|corepack|xvfb-run|stdbuf|nohup|--)$|^\w+=/

/** The words of each simple command of a line. Quotes are understood; anything fancier is taken as it is. */
function commandsIn(line: string): string[][] {
  const commands: string[][] = [[]]
  for (const [token] of line.matchAll(/&&|\|\||[;|&\n()]|(?:"(?:\\.|[^"\\])*"|'[^']*'|[^\s;|&()"'])+/g)) {
    if (/^(?:&&|\|\||[;|&\n()])$/.test(token)) commands.push([])
    else commands.at(-1)!.push(token.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'/g, (_, a, b) => a ?? b))
  }
  return commands.map(words => {
    const start = words.findIndex(word => !WRAPPERS.test(word))
    return start < 0 ? [] : words.slice(start)
  })
}

/** Joins two relative paths. */
function join(folder: string, path: string): string {
  const parts: string[] = []
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return parts.join('/')
}

/** Runs everything that it ran before, and then more: nothing is taken away. */
export const onlyAdds = (before: string, after: string): boolean =>
  after.startsWith(`${before} && `) && /^[\w\s./:@=-]+$/.test(after.slice(before.length + 4))
