import { judgeCommand } from './judge.ts'

/** The variable by which ralph hands the allowlist to the hook: a JSON list of texts. */
export const ALLOW_VARIABLE = 'RALPH_ALLOW'

export const writeAllowlist = (allow: readonly string[]): string => JSON.stringify(allow)

/** The allowlist out of that variable; throws where it is none, for half a list is not what anyone allowed. */
export function readAllowlist(text: string | undefined): string[] {
  if (text === undefined || text === '') return []
  const list = parse(text, ALLOW_VARIABLE)
  if (Array.isArray(list) && list.every(entry => typeof entry === 'string')) return list
  throw new Error(`${ALLOW_VARIABLE} is not a JSON list of texts`)
}

/** Why a tool call may not be made, given what the hook got on its input; null: nothing speaks against it. */
export function judgeToolCall(input: string, allow: readonly string[]): string | null {
  const call = parse(input, 'what the hook was given')
  if (!isObject(call) || typeof call.tool_name !== 'string')
    throw new Error('what the hook was given names no tool_name')
  const { command } = isObject(call.tool_input) ? call.tool_input : {}
  // A shell by another name has a command, too; what has none is no shell.
  if (typeof command === 'string') return judgeCommand(command, allow)?.reason ?? null
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

function parse(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error(`${what} is not JSON`, { cause })
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
