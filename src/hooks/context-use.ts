/** How much of the context is in use, according to the end of a transcript. */
export type ContextUse =
  | { type: 'counted'; tokens: number; model: string | null }
  /** The conversation was compacted and no tokens were reported since; `since` is the number of characters after it. */
  | { type: 'compacted'; since: number }

const THRESHOLDS = [50, 60, 70, 80, 90] as const

/** The percentage of the context window at which an agent is alerted. */
export type Threshold = (typeof THRESHOLDS)[number]

/** All thresholds, highest first. */
export const thresholds: readonly Threshold[] = [...THRESHOLDS].reverse()

const WINDOW = 200_000
const LONG_WINDOW = 1_000_000

export const CHARS_PER_TOKEN = 4

/**
 * Reads the context use from the last lines of a transcript: the input tokens of the main agent's last answer. Returns
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
  message?: { model?: unknown; usage?: Record<string, unknown> } | null
}

function useInEntry({ type, isSidechain, message }: Entry): ContextUse | null {
  // A subagent has its own context window.
  if (type !== 'assistant' || isSidechain === true || !message?.usage) return null
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

/** The highest threshold that is reached; null if none is. */
export const highestReached = (tokens: number, window: number): Threshold | null =>
  thresholds.find(threshold => tokens * 100 >= threshold * window) ?? null

type Severity = 'NOTICE' | 'WARNING' | 'CRITICAL'

const SEVERITY: Record<Threshold, Severity> = {
  50: 'NOTICE',
  60: 'NOTICE',
  70: 'WARNING',
  80: 'WARNING',
  90: 'CRITICAL',
}

/** In a story loop, remaining work goes into the list, and the next iteration continues it. */
const IN_STORIES: Record<Severity, string> = {
  NOTICE:
    'Be mindful of remaining space. Plan to finish your current task within this session. If you discover follow-up work, add new stories to tasks.json — the next iteration will pick them up.',
  WARNING:
    'Finish your current task and commit soon. Do not start additional tasks. If work remains, create new stories in tasks.json for the next iteration and capture any implementation details or insights in progress.txt so the next iteration has full context.',
  CRITICAL:
    'Wrap up immediately. Do NOT start new work. Instead: (1) create tasks in tasks.json for any remaining work, (2) write implementation details, insights, and handoff notes to progress.txt, (3) commit all changes, (4) stop. The next iteration will continue from where you left off.',
}

const ELSEWHERE: Record<Severity, string> = {
  NOTICE: 'Be mindful of remaining space. Plan to finish your current task within this session.',
  WARNING:
    'Finish your current task soon. Do not start additional tasks. If work remains, say what it is, with the details and insights that whoever continues will need.',
  CRITICAL:
    'Wrap up immediately. Do NOT start new work. Instead: (1) leave your current change in a state that works, (2) say what remains, with the details and insights that whoever continues will need, (3) stop.',
}

/** The alert that an agent gets at a threshold. */
export function contextAlert(
  threshold: Threshold,
  { tokens, window, inStories }: { tokens: number; window: number; inStories: boolean },
): string {
  const severity = SEVERITY[threshold]
  const used = `${Math.floor((tokens * 100) / window)}% of the context window is used (${inThousands(tokens)} of ${inThousands(window)} tokens).`
  return `${severity}: ${used} ${(inStories ? IN_STORIES : ELSEWHERE)[severity]}`
}

const inThousands = (tokens: number) => `${Math.round(tokens / 1000)}K`
