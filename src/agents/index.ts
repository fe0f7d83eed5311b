import type { Agent } from '../core/ports.ts'
import { amp } from './amp/amp.ts'
import { claude } from './claude/claude.ts'
import type { Cli } from './cli.ts'
import { codex } from './codex/codex.ts'
import { copilot } from './copilot/copilot.ts'
import { custom, programName } from './custom.ts'
import { gemini } from './gemini/gemini.ts'
import { opencode } from './opencode/opencode.ts'

/** Every CLI whose stream ralph can read, in the order in which ralph looks for an installed one. */
export const known: ReadonlyMap<string, Cli> = new Map(
  Object.entries({ claude, codex, amp, opencode, gemini, copilot }),
)

/** The agent of a program, by its base name: `/opt/bin/claude` runs that path and is read as claude. */
export function agentFor(command: string): { agent: Agent; isKnown: boolean } {
  const cli = known.get(programName(command))
  return { agent: cli ? cli.make(command) : unknownAgent(command), isKnown: cli !== undefined }
}

/**
 * The agent of an explicit command line: run word for word, with nothing added. Its output is read as a stream
 * only if its words ask for one. Read as plain text, a stream would make tool output look like the agent's words.
 */
export function explicitAgent(argv: readonly string[]): Agent {
  const cli = known.get(programName(argv[0] ?? ''))
  if (!cli || !argv.some(word => cli.streamWord.test(word)))
    return { ...custom(argv), ...(cli?.lastWritten && { lastWritten: cli.lastWritten }) }
  const { parser, reports } = cli.make()
  return custom(argv, { parser: () => parser('stream'), reports: () => reports('stream') })
}

/** An unknown program that is called by name: it gets the user's flags. */
const unknownAgent = (program: string): Agent => ({
  ...custom([program]),
  command: (ask, able) => custom([program, ...ask.flags]).command(ask, able),
})
