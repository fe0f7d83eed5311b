import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs'
import { LIMITS } from '../store/files/read.ts'
import type { HookInput } from './run-hook.ts'

/** The variable with the path of the file. Ralph sets it for an agent without an event stream. */
const VARIABLE = 'RALPH_ACTIVITY'

/** How much of an argument is noted: enough to show what a call is about. */
const MOST_TEXT = 200
const MOST_ARGUMENTS = 20

/** Tells ralph what the agent does. If that fails, ralph knows less: it is no reason to disturb the agent. */
export function noteActivity(text: string): void {
  const path = process.env[VARIABLE]
  if (!path) return
  try {
    append(path, `${JSON.stringify(noteOf(JSON.parse(text)))}\n`)
  } catch {
    // The file is gone, or something else is in its place.
  }
}

/** Ralph made the file and reads no more than this of it; so nothing is made here, and no link is followed. */
function append(path: string, line: string): void {
  const { O_APPEND, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants
  const fd = openSync(path, O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_WRONLY)
  try {
    const stat = fstatSync(fd)
    if (stat.isFile() && stat.size + line.length <= LIMITS.small) writeSync(fd, line)
  } finally {
    closeSync(fd)
  }
}

/** The part of claude's message that ralph reads. A tool's input may be as large as a file. */
function noteOf({ hook_event_name, tool_name, tool_use_id, tool_input, agent_id }: HookInput): object {
  const said = Object.entries(tool_input ?? {})
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .slice(0, MOST_ARGUMENTS)
    .map(([name, value]) => [name.slice(0, MOST_TEXT), value.slice(0, MOST_TEXT)])
  return { hook_event_name, tool_name, tool_use_id, agent_id, tool_input: Object.fromEntries(said) }
}
