const THRESHOLDS = [50, 60, 70, 80, 90] as const

/** The percentage of the context window at which an agent is alerted. */
export type Threshold = (typeof THRESHOLDS)[number]

/** All thresholds, highest first. */
export const thresholds: readonly Threshold[] = [...THRESHOLDS].reverse()

export const CHARS_PER_TOKEN = 4

/** The highest threshold that is reached, or null. */
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
