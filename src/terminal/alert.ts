import { printableLine } from '../core/visible.ts'

/** What a terminal can do to get somebody's attention. */
export type AlertWishes = { bell: boolean; title: boolean; desktop: boolean }

/** Terminals that show a notification on the desktop by OSC 9, and by OSC 777. */
const BY_9 = /^(?:iTerm\.app|WezTerm|ghostty|Warp)/i
const BY_777 = /^(?:foot|rxvt-unicode|contour)/

/**
 * The sequences for one alert, and whether the terminal shows a notification on the desktop. None of them moves the cursor
 * or shows anything in the text. `title` and `text` are one line each.
 */
export function alertSequences(
  { title, text }: { title: string; text: string },
  wishes: AlertWishes,
  env: NodeJS.ProcessEnv,
): { sequences: string; onDesktop: boolean } {
  const heading = printableLine(title)
  const line = printableLine(text)
  const osc = wishes.desktop ? notification(heading, line, env) : null
  const parts = [wishes.title && `\x1b]2;${heading}: ${line}\x07`, osc !== null && osc, wishes.bell && '\x07']
  return { sequences: parts.filter(Boolean).join(''), onDesktop: osc !== null }
}

/** Null if the terminal is not known to show any. Within tmux or screen they would have to be passed through. */
function notification(title: string, text: string, env: NodeJS.ProcessEnv): string | null {
  if (env.TMUX || env.STY) return null
  const { TERM_PROGRAM = '', TERM = '' } = env
  if (BY_9.test(TERM_PROGRAM)) return `\x1b]9;${title}: ${text}\x07`
  // A semicolon would end the title.
  if (BY_777.test(TERM)) return `\x1b]777;notify;${title.replaceAll(';', ',')};${text}\x07`
  return null
}
