import { writeSync } from 'node:fs'
import { ALLOW_VARIABLE, readAllowlist } from '../blocklist/allowlist.ts'
import { denial, judgeToolCall } from '../blocklist/permission.ts'
import { readStdin } from './stdin.ts'

/**
 * The PreToolUse hook of the Claude Code plugin: denies a command of the blocklist, else says nothing. Where it cannot
 * judge, it says why; in a run of ralph, where nobody looks on, the call is denied, elsewhere the user decides.
 */
try {
  const reason = judgeToolCall(readStdin(), readAllowlist(process.env[ALLOW_VARIABLE]))
  if (reason !== null) deny(reason)
} catch (error) {
  const why = `ralph's blocklist could not judge this call: ${error instanceof Error ? error.message : String(error)}`
  if (process.env.RALPH_RUN) deny(`${why}. In a run of ralph it is denied; try a simpler call.`)
  else {
    // Claude Code goes on after any exit code but 2, and shows this.
    process.exitCode = 1
    say(`${why}. Nothing was denied.`)
  }
}

/** By JSON, and where nobody takes that, by the exit code that blocks. */
function deny(reason: string): void {
  try {
    writeAll(1, `${denial(reason)}\n`)
  } catch {
    process.exitCode = 2
    say(reason)
  }
}

function say(sentence: string): void {
  try {
    writeAll(2, `${sentence}\n`)
  } catch {
    // Nobody listens; the exit code has said it.
  }
}

function writeAll(fd: number, text: string): void {
  let rest = Buffer.from(text)
  while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest))
}
