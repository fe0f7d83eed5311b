import { parseNamed } from './allowlist.ts'
import { judgeCommand } from './judge.ts'

/** Why a tool call may not be made, given what the hook got on its input; null: nothing is wrong with it. */
export function judgeToolCall(input: string, allow: readonly string[]): string | null {
  const call = parseNamed(input, 'what the hook was given')
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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
