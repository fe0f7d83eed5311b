import { isAllowed, readAllow } from './allow.ts'
import type { ShellStep } from './call.ts'
import { CATEGORIES } from './categories.ts'
import { rulesFor } from './rule.ts'
import { show, unmark } from './shell/shell.ts'
import { walk } from './walk.ts'

/** Why a command is denied: the number of its category, the rule's name, and what the agent is told. */
export type Verdict = { category: number; rule: string; reason: string }

/**
 * Judges a shell command by what it would start, not by what it looks like. null: nothing is wrong with it. It never
 * throws, and takes time in proportion to the length of the command.
 */
export function judgeCommand(command: string, allow: readonly string[]): Verdict | null {
  const entries = readAllow(allow)
  for (const step of walk(unmark(command))) {
    if (step.kind === 'call' && entries.length > 0 && isAllowed(step.call, entries)) continue
    for (const category of CATEGORIES)
      for (const { name, denies, reason } of rulesFor(category, step))
        if (denies(step)) {
          const place = `(blocklist ${category.number}, ${category.title}: ${name})`
          return { category: category.number, rule: name, reason: `${excerpt(step)}${reason} ${place}` }
        }
  }
  return null
}

/** What of the command it is about: a long one has many parts. */
function excerpt(step: ShellStep): string {
  if (step.kind === 'unreadable') return `Denied: ${step.why}. `
  if (step.kind !== 'call' || step.call.words.length === 0) return 'Denied. '
  const text = show(step.call.words.slice(0, 12).join(' ').slice(0, 200)).replace(/\s+/g, ' ')
  return `Denied: \`${text.length > 120 ? `${text.slice(0, 119)}…` : text}\`. `
}
