import { createHash } from 'node:crypto'
import { isObject } from '../../core/json.ts'

/** A file of a project that a CLI loads by itself. */
export type LoadedFile = {
  /** Below the project, or a folder above it up to that of the repository. `*`: any name. */
  path: string
  /**
   * What matters in it. `except`: all of this JSON (comments are allowed) but these keys. `lines`: every line.
   * `code`: it runs as it is. `prompt`: a Markdown file, if it has commands, hooks or servers. `variables`: of an
   * environment, those with names like this.
   */
  holds: { except: readonly string[] } | { variables: RegExp } | 'lines' | 'code' | 'prompt'
}

/** Something in such a file that runs, or decides what runs. `exact`: what stands for the whole file. */
export type LoadedEntry = { where: string; what: string; exact?: string }

/** What a file would run or change when a CLI loads it, one entry each. */
export function entriesOf({ holds }: Pick<LoadedFile, 'holds'>, text: string): LoadedEntry[] {
  if (holds === 'code') return [{ where: 'the whole file', what: 'is loaded', exact: hashOf(text) }]
  if (holds === 'lines') return linesOf(text).map(what => ({ where: '', what }))
  if (holds === 'prompt') return promptEntries(text)
  if ('variables' in holds) return variableEntries(text, holds.variables)
  const value = parse(text)
  if (value === undefined)
    return [{ where: 'the whole file', what: 'is loaded, and ralph cannot parse it', exact: hashOf(text) }]
  const kept = isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([key]) => !holds.except.includes(key)))
    : value
  return leaves(kept, '')
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Without comments, unless a text of several lines could hold what looks like one. */
function linesOf(text: string): string[] {
  const isPlain = !/"""|'''/.test(text)
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !(isPlain && line.startsWith('#')))
}

/** A command in a prompt, `!` and a backquote, runs when the prompt is used; so does what its head declares. */
function promptEntries(text: string): LoadedEntry[] {
  const head = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? ''
  const commands = [...text.matchAll(/!`([^`]+)`/g)].map(([, what]) => ({ where: 'runs', what: what! }))
  const blocks = [...text.matchAll(/^```!\r?\n([\s\S]*?)^```/gm)].map(([, what]) => ({
    where: 'runs',
    what: what!,
  }))
  const declared = /^\s*(?:hooks|mcpServers|mcp-servers)\s*:/m.test(head)
    ? [{ where: 'the head', what: 'declares hooks or servers', exact: hashOf(head) }]
    : []
  return [...declared, ...commands, ...blocks]
}

/** The values are not shown: they may be secret. Each reaches to the next name, so that all lines of it count. */
function variableEntries(text: string, names: RegExp): LoadedEntry[] {
  const found = [...text.matchAll(/^[^\S\n]*(?:export\s+)?([\w.-]+)\s*[=:]/gm)]
  return found.flatMap(({ 1: name = '', index }, at) =>
    names.test(name)
      ? [{ where: name, what: 'is set', exact: hashOf(text.slice(index, found[at + 1]?.index)) }]
      : [],
  )
}

/** The value of JSON that may have comments and a comma too many, or undefined if it is neither. */
function parse(text: string): unknown {
  for (const json of [text, withoutComments(text)])
    try {
      return JSON.parse(json.replace(/^\ufeff/, ''))
    } catch {
      // Try the next form.
    }
  return undefined
}

const withoutComments = (text: string): string =>
  text
    .replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, string) => string ?? ' ')
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[\]}])/g, (_, string) => string ?? '')

/** One entry for each command, server and value. Keys are sorted, so moving a line is not a change. */
function leaves(value: unknown, where: string): LoadedEntry[] {
  if (Array.isArray(value) && value.some(each => typeof each === 'object'))
    return value.flatMap((each, index) => leaves(each, `${where}[${index}]`))
  if (!isObject(value)) return [{ where, what: show(value) }]
  const command = describeCommand(value)
  if (command !== null) return [{ where, what: command }]
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, inner]) => leaves(inner, join(where, key)))
}

/** A key with a dot gets quotes, so that it does not look like two. */
function join(where: string, key: string): string {
  const name = /^[\w$-]+$/.test(key) ? key : JSON.stringify(key)
  return where === '' ? name : `${where}.${name}`
}

/** `npx -y server · {"env":{…}}`: the words that run, then all else. null if it is no command. */
function describeCommand(value: Record<string, unknown>): string | null {
  const name = ['command', 'bash', 'url', 'httpUrl'].find(key => key in value)
  if (name === undefined) return null
  const { [name]: run, args = [], type: _, ...rest } = value
  const words = [run, args]
    .flat()
    .map(word => (/^[^\s"]+$/.test(show(word)) ? show(word) : JSON.stringify(word)))
  const line = Array.isArray(run) || [args].flat().length > 0 ? words.join(' ') : show(run)
  return [line, ...(Object.keys(rest).length > 0 ? [JSON.stringify(rest)] : [])].join(' · ')
}

const show = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
