import { readFileSync } from 'node:fs'

/** What claude tells a hook. */
export type HookInput = {
  hook_event_name?: string
  session_id?: string
  transcript_path?: string
  cwd?: string
  /** Set where a subagent is at work. */
  agent_id?: string
  stop_hook_active?: boolean
  model?: string
}

/**
 * One call of a hook: claude's JSON on standard input, what is decided of it as JSON on standard output. Trouble of
 * the hook's own is said in one line and holds nobody up: exit code 1 does not block.
 */
export function answer(name: string, decide: (input: HookInput) => object | null): void {
  try {
    const decided = decide(readInput())
    if (decided) process.stdout.write(JSON.stringify(decided))
  } catch (error) {
    process.stderr.write(`ralph: the ${name} hook failed: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
}

function readInput(): HookInput {
  const text = readFileSync(0, 'utf8')
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Error('its standard input is not the JSON that claude gives to hooks', { cause })
  }
}
