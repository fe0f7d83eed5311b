/** How much of the context is in use, according to the end of a transcript or a stream. */
export type ContextUse =
  | { type: 'counted'; tokens: number; model: string | null }
  /** The conversation was compacted and no tokens were reported since; `since` is the number of characters after it. */
  | { type: 'compacted'; since: number }

const WINDOW = 200_000
const LONG_WINDOW = 1_000_000

/**
 * Reads the context use from the last lines of a transcript, or of a stream: the input tokens of the main agent's last answer. Returns
 * null if no line has them. Lines may be of any kind, or invalid.
 */
export function readContextUse(lines: readonly string[]): ContextUse | null {
  let since = 0
  for (const line of [...lines].reverse()) {
    const entry = line.includes('"usage"') || line.includes('compact_boundary') ? parse(line) : null
    if (entry?.subtype === 'compact_boundary') return { type: 'compacted', since }
    const use = entry && useInEntry(entry)
    if (use) return use
    since += line.length
  }
  return null
}

type Entry = {
  type?: unknown
  subtype?: unknown
  isSidechain?: unknown
  parent_tool_use_id?: unknown
  message?: { model?: unknown; usage?: Record<string, unknown> } | null
}

function useInEntry({ type, isSidechain, parent_tool_use_id: parent, message }: Entry): ContextUse | null {
  // A subagent has its own context window.
  if (type !== 'assistant' || isSidechain === true || typeof parent === 'string' || !message?.usage)
    return null
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = message.usage
  const tokens = [input_tokens, cache_read_input_tokens, cache_creation_input_tokens]
    .map(count => (typeof count === 'number' ? count : 0))
    .reduce((sum, count) => sum + count, 0)
  // An answer that did not come from a model, such as an error message, reports no tokens.
  if (tokens === 0) return null
  return { type: 'counted', tokens, model: typeof message.model === 'string' ? message.model : null }
}

function parse(line: string): Entry | null {
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === 'object' ? entry : null
  } catch {
    return null
  }
}

/**
 * The size of a model's context window. `started` is the model name that the session started with: only that name
 * says whether an optional long window is on. More tokens than the normal window holds prove that the long one is on.
 */
export function contextWindow(model: string | null, started: string | null, tokens: number): number {
  const isLong =
    tokens > WINDOW ||
    hasLongWindow(model ?? '') ||
    /\[1m\]$/i.test(model ?? '') ||
    started === `${model}[1m]`
  return isLong ? LONG_WINDOW : WINDOW
}

/** `claude-opus-4-7` and later, and the fifth generation of the others. */
function hasLongWindow(model: string): boolean {
  const [, family, major = 0, minor = 0] = /claude-([a-z]+)-(\d{1,2})(?:-(\d{1,2}))?(?!\d)/.exec(model) ?? []
  return Number(major) >= 5 || (family === 'opus' && Number(major) === 4 && Number(minor) >= 7)
}
