import { writeSync } from 'node:fs'
import { ALLOW_VARIABLE, readAllowlist } from '../blocklist/allowlist.ts'
import { denial, judgeToolCall } from '../blocklist/judge.ts'
import { noteActivity } from './activity.ts'
import { readStdin } from './run-hook.ts'

/**
 * The PreToolUse hook of the Claude Code plugin: denies commands on the blocklist, and prints nothing otherwise. If it
 * cannot judge a call, it says why. In a run of ralph nobody is watching, so that call is denied; elsewhere the user
 * decides.
 */
try {
  const input = readStdin()
  const reason = judgeToolCall(input, process.cwd(), readAllowlist(process.env[ALLOW_VARIABLE]))
  if (reason !== null) deny(reason)
  else noteActivity(input)
} catch (error) {
  const why = `ralph's blocklist could not judge this call: ${error instanceof Error ? error.message : String(error)}`
  if (process.env.RALPH_RUN) deny(`${why}. In a run of ralph it is denied; try a simpler call.`)
  else {
    // Claude Code shows this message and continues: only exit code 2 blocks.
    process.exitCode = 1
    printError(`${why}. Nothing was denied.`)
  }
}

/** Denies by JSON; if standard output is closed, by the exit code that blocks. */
function deny(reason: string): void {
  try {
    writeAll(1, `${denial(reason)}\n`)
  } catch {
    process.exitCode = 2
    printError(reason)
  }
}

function printError(sentence: string): void {
  try {
    writeAll(2, `${sentence}\n`)
  } catch {
    // Standard error is closed too; the exit code is enough.
  }
}

function writeAll(fd: number, text: string): void {
  let rest = Buffer.from(text)
  while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest))
}
