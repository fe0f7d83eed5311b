import { isAllowed, readAllow } from './allow.ts'
import { parseNamed } from './allowlist.ts'
import type { ShellStep } from './call.ts'
import { deletesCategory } from './categories/01-deletes.ts'
import { disksCategory } from './categories/02-disks.ts'
import { permissionsCategory } from './categories/03-permissions.ts'
import { historyCategory } from './categories/04-history.ts'
import { credentialsCategory } from './categories/05-credentials.ts'
import { exfiltrationCategory } from './categories/06-exfiltration.ts'
import { remoteCodeCategory } from './categories/07-remote-code.ts'
import { publishingCategory } from './categories/08-publishing.ts'
import { cloudCategory } from './categories/09-cloud.ts'
import { forkBombsCategory } from './categories/10-fork-bombs.ts'
import { persistenceCategory } from './categories/11-persistence.ts'
import { processesCategory } from './categories/12-processes.ts'
import { containersCategory } from './categories/13-containers.ts'
import { tricksCategory } from './categories/14-tricks.ts'
import { type Category, ruleFinder } from './rule.ts'
import { show, unmark } from './shell/shell.ts'
import { walk } from './walk.ts'

/** In the order of their numbers: the first that denies gives the reason. */
export const CATEGORIES: readonly Category[] = [
  deletesCategory,
  disksCategory,
  permissionsCategory,
  historyCategory,
  credentialsCategory,
  exfiltrationCategory,
  remoteCodeCategory,
  publishingCategory,
  cloudCategory,
  forkBombsCategory,
  persistenceCategory,
  processesCategory,
  containersCategory,
  tricksCategory,
]

/** Why a command is denied: the number of its category, the rule's name, and the reason for the agent. */
type Verdict = { category: number; rule: string; reason: string }

/**
 * Judges a shell command that runs in a folder, by what it would start, not by what it looks like. null means that
 * nothing is wrong with it. It never throws, and takes time in proportion to the length of the command.
 */
export function judgeCommand(command: string, cwd: string, allow: readonly string[]): Verdict | null {
  const entries = readAllow(allow)
  const find = ruleFinder(CATEGORIES)
  for (const step of walk(unmark(command), unmark(cwd))) {
    if (step.kind === 'call' && entries.length > 0 && isAllowed(step.call, entries)) continue
    const denial = find(step)
    if (denial === null) continue
    const { category, name, reason } = denial
    const place = `(blocklist ${category.number}, ${category.title}: ${name})`
    return { category: category.number, rule: name, reason: `${excerpt(step)}${reason} ${place}` }
  }
  return null
}

/** The part of the command that is denied: a long one has many parts. */
function excerpt(step: ShellStep): string {
  if (step.kind === 'unreadable') return `Denied: ${step.why}. `
  if (step.kind !== 'call' || step.call.words.length === 0) return 'Denied. '
  const text = show(step.call.words.slice(0, 12).join(' ').slice(0, 200)).replace(/\s+/g, ' ')
  return `Denied: \`${text.length > 120 ? `${text.slice(0, 119)}…` : text}\`. `
}

/**
 * Why a tool call may not be made, by the hook's input. null means that nothing is wrong with it. If the input names no folder,
 * the call runs in `folder`.
 */
export function judgeToolCall(input: string, folder: string, allow: readonly string[]): string | null {
  const call = parseNamed(input, 'what the hook was given')
  if (!isObject(call) || typeof call.tool_name !== 'string')
    throw new Error('what the hook was given names no tool_name')
  const { command } = isObject(call.tool_input) ? call.tool_input : {}
  const cwd = typeof call.cwd === 'string' ? call.cwd : folder
  // A shell by another name has a command, too; what has none is no shell.
  if (typeof command === 'string') return judgeCommand(command, cwd, allow)?.reason ?? null
  if (call.tool_name === 'Bash') throw new Error('a call of Bash without a command')
  return null
}

/** What Claude Code understands as a no; the reason reaches the model. */
export const denial = (reason: string): string =>
  JSON.stringify({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: reason,
    },
  })

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
