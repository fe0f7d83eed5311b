import type { AgentEvent } from '../core/events.ts'
import { plural } from '../core/format.ts'
import { plainLine } from './text/plain.ts'

/** What an agent does now, as its events tell. */
export type Doing = {
  see(event: AgentEvent): void
  /** The open tool call that began last, otherwise what it does without one. Empty before it has begun. */
  now(): string
}

export function followDoing(nameTool: ToolNamer): Doing {
  const tools = new Map<string, string>()
  let saying = ''
  return {
    see(event) {
      saying = sayingOf(event, saying)
      if (event.type === 'toolResult') tools.delete(event.id)
      if (event.type !== 'tool') return
      const { name, summary } = nameTool(plainLine(event.name), plainLine(event.summary))
      const by = event.by === undefined ? '' : ` by ${event.by}`
      tools.set(event.id, `${summary === '' ? name : `${name}(${summary})`}${by}`)
    },
    now: () => [...tools.values()].at(-1) ?? saying,
  }
}

/** What an agent does while none of its tools is open. */
function sayingOf(event: AgentEvent, before: string): string {
  switch (event.type) {
    case 'retrying':
      return `retrying: ${plainLine(event.note)}`
    case 'background':
      return event.open > 0 ? `waiting for ${plural(event.open, 'task')} in the background` : 'thinking'
    case 'answered':
    case 'ended':
      return 'ending'
    case 'unparsed':
      return before
    default:
      return 'thinking'
  }
}

/** How a tool call is shown: the same for every CLI. */
type ToolCall = { name: string; summary: string }

/** Turns what a CLI calls a tool, and its argument, into what is shown. Both are plain text in one line. */
export type ToolNamer = (name: string, summary: string) => ToolCall

/** The CLIs' own names for the tools that they all have. */
const COMMON: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Bash: ['bash', 'shell', 'run_shell_command', 'command_execution', 'local_shell_call'],
    Read: ['read', 'read_file', 'view', 'read_many_files'],
    Write: ['write', 'write_file', 'create', 'create_file'],
    Edit: ['edit', 'edit_file', 'replace', 'str_replace', 'file_change', 'apply_patch', 'patch'],
    Grep: ['grep', 'rg', 'search_file_content', 'grep_search'],
    Glob: ['glob', 'find_files'],
    LS: ['list', 'ls', 'list_directory', 'list_dir'],
    TodoWrite: ['todowrite', 'write_todos', 'update_todo', 'todo_write', 'update_plan'],
    WebSearch: ['web_search', 'google_web_search', 'websearch'],
    WebFetch: ['web_fetch', 'webfetch', 'fetch'],
    Task: ['task'],
  }).flatMap(([shown, names]) => names.map(name => [name, shown] as const)),
)

/** A namer for a run in this project: what is below its folder is shown relative to it. */
export function toolNamer(project: string | null): ToolNamer {
  const shorten = project === null ? (text: string) => text : relativeTo(project)
  return (name, summary) => {
    const shown = COMMON.get(name) ?? name
    if (shown === 'Bash') return { name: shown, summary: shorten(unwrapShell(summary)) }
    if (name === 'file_change') return fileChange(summary, shorten)
    return { name: shown, summary: shorten(summary) }
  }
}

/** Shows paths below a folder relative to it, and the folder itself as a dot, wherever they are in a text. */
function relativeTo(folder: string): (text: string) => string {
  const literal = folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const found = new RegExp(`(?<![\\w./~-])${literal}(?:(/)(?=[\\w.@-])|/?(?=[\\s"';:,)&|]|$))`, 'g')
  return text => (text.includes(folder) ? text.replaceAll(found, (_, inside) => (inside ? '' : '.')) : text)
}

/** `/bin/bash -lc 'npm test'` → `npm test`. The end of a long command may be cut off, its closing quote too. */
function unwrapShell(command: string): string {
  const [, inner] = /^(?:\/\S*\/)?(?:ba|z|da)?sh -l?c (.+)$/s.exec(command) ?? []
  if (inner === undefined) return command
  if (inner.startsWith("'")) return inner.replace(/^'|'$/g, '').replaceAll("'\\''", "'")
  if (inner.startsWith('"')) return inner.replace(/^"|"$/g, '').replace(/\\(["\\$`])/g, '$1')
  return inner
}

const KINDS: ReadonlyMap<string, string> = new Map([
  ['add', 'Write'],
  ['update', 'Edit'],
  ['delete', 'Delete'],
])

/** Codex changes files by patches: `add /project/a.js update /project/b.js`. */
function fileChange(summary: string, shorten: (text: string) => string): ToolCall {
  const parts = summary.split(/(?:^|\s)(add|update|delete) (?=\/)/).slice(1)
  const kinds = new Set(parts.filter((_, index) => index % 2 === 0))
  const paths = parts.filter((_, index) => index % 2 === 1).map(path => shorten(path.trim()))
  if (paths.length === 0) return { name: 'Edit', summary: shorten(summary) }
  return { name: (kinds.size === 1 && KINDS.get([...kinds][0]!)) || 'Edit', summary: paths.join(', ') }
}
