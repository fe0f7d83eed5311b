// The entry of each hook. `plugin/hooks/hooks.json` names only events that every claude with plugins knows: an older one
// that finds an unknown event drops all hooks, and the blocklist with them.

import { readSync } from 'node:fs'
import { noteActivity } from './activity.ts'

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

/** Reads all of standard input. Avoids streams, which slow down every start; polls a pipe that is not ready yet. */
export function readStdin(): string {
  const chunks: Buffer[] = []
  for (;;) {
    const chunk = Buffer.allocUnsafe(65_536)
    const size = readSome(chunk)
    if (size === 0) return Buffer.concat(chunks).toString('utf8')
    if (size > 0) chunks.push(chunk.subarray(0, size))
  }
}

/** Returns -1 if there is nothing to read yet. */
function readSome(chunk: Buffer): number {
  try {
    return readSync(0, chunk)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'EOF') return 0
    if (code !== 'EAGAIN') throw error
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    return -1
  }
}
