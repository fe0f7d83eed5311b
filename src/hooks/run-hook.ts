import { noteActivity } from './activity.ts'
import { readStdin } from './stdin.ts'

/** The JSON that claude passes to a hook. */
export type HookInput = {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  /** Set when a subagent made the call. */
  agent_id?: string
  tool_name?: string
  tool_use_id?: string
  tool_input?: Record<string, unknown>
  stop_hook_active?: boolean
  last_assistant_message?: string
  model?: string
}

/**
 * Runs one hook call: claude's JSON comes on standard input, the decision goes to standard output as JSON. If the
 * hook itself fails, it prints one line and exits with 1, which does not block claude.
 */
export function runHook(name: string, decide: (input: HookInput) => object | null): void {
  try {
    const text = readStdin()
    noteActivity(text)
    const decision = decide(parseInput(text))
    if (decision) process.stdout.write(JSON.stringify(decision))
  } catch (error) {
    process.stderr.write(`ralph: the ${name} hook failed: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
}

function parseInput(text: string): HookInput {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error('its standard input is not the JSON that claude gives to hooks', { cause })
  }
}
