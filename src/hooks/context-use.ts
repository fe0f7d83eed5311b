/** What the end of a transcript tells of the context in use. */
export type Use =
  | { type: 'told'; tokens: number; model: string | null }
  /** The conversation was compacted, and nothing was counted since; `since` is what was written after that. */
  | { type: 'compacted'; since: number }

const THRESHOLDS = [50, 60, 70, 80, 90] as const

/** A share of the window, in per cent, at which an agent is told. */
export type Threshold = (typeof THRESHOLDS)[number]

/** All of them, the highest first. */
export const thresholds: readonly Threshold[] = [...THRESHOLDS].reverse()

const WINDOW = 200_000
const LONG_WINDOW = 1_000_000

export const CHARS_PER_TOKEN = 4

/**
 * Reads the use from the last lines of a transcript: what the last answer of the main agent was given. null where
 * none of them tells. Lines may be of any kind, and broken.
 */
export function useIn(lines: readonly string[]): Use | null {
  let since = 0
  for (const line of [...lines].reverse()) {
    const entry = line.includes('"usage"') || line.includes('compact_boundary') ? parse(line) : null
    if (entry?.subtype === 'compact_boundary') return { type: 'compacted', since }
    const use = entry && useOf(entry)
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

function useOf({ type, isSidechain, message }: Entry): Use | null {
  // A subagent has a window of its own.
  if (type !== 'assistant' || isSidechain === true || !message?.usage) return null
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = message.usage
  const tokens = [input_tokens, cache_read_input_tokens, cache_creation_input_tokens]
    .map(count => (typeof count === 'number' ? count : 0))
    .reduce((sum, count) => sum + count, 0)
  // An answer that no model gave, an error message for one, counts nothing.
  if (tokens === 0) return null
  return { type: 'told', tokens, model: typeof message.model === 'string' ? message.model : null }
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
 * How large a model's window is. `started` is what the session was started with: only that says whether a model
 * that can have a longer window has it. More than a window holds proves that it is the longer one.
 */
export function windowOf(model: string | null, started: string | null, tokens: number): number {
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

/** The highest threshold that is reached. */
export const reached = (tokens: number, window: number): Threshold | null =>
  thresholds.find(threshold => tokens * 100 >= threshold * window) ?? null

type Severity = 'NOTICE' | 'WARNING' | 'CRITICAL'

const SEVERITY: Record<Threshold, Severity> = {
  50: 'NOTICE',
  60: 'NOTICE',
  70: 'WARNING',
  80: 'WARNING',
  90: 'CRITICAL',
}

/** In a story loop there is a list that takes what is left over, and an iteration that goes on. */
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
    'Finish your current task soon. Do not start additional tasks. If work remains, say what it is, with the details and insights that whoever goes on will need.',
  CRITICAL:
    'Wrap up immediately. Do NOT start new work. Instead: (1) leave your current change in a state that works, (2) say what remains, with the details and insights that whoever goes on will need, (3) stop.',
}

/** What an agent is told at a threshold. */
export function tellUse(
  threshold: Threshold,
  { tokens, window, inStories }: { tokens: number; window: number; inStories: boolean },
): string {
  const severity = SEVERITY[threshold]
  const used = `${Math.floor((tokens * 100) / window)}% of the context window is used (${inThousands(tokens)} of ${inThousands(window)} tokens).`
  return `${severity}: ${used} ${(inStories ? IN_STORIES : ELSEWHERE)[severity]}`
}

const inThousands = (tokens: number) => `${Math.round(tokens / 1000)}K`
