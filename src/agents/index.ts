import type { Agent } from '../core/ports.ts'
import { amp } from './amp/amp.ts'
import { claude } from './claude/claude.ts'
import { codex } from './codex/codex.ts'
import { copilot } from './copilot/copilot.ts'
import { custom, programName } from './custom.ts'
import { gemini } from './gemini/gemini.ts'
import { opencode } from './opencode/opencode.ts'

type Known = {
  make: (program?: string) => Agent
  /** A word by which this CLI is told to give a stream. */
  streamWord: RegExp
}

/** Every CLI whose stream ralph can read, the first to look for first. To add one: its file, and a line here. */
export const known: ReadonlyMap<string, Known> = new Map([
  ['claude', { make: claude, streamWord: /stream-json$/ }],
  ['codex', { make: codex, streamWord: /^--json$/ }],
  ['amp', { make: amp, streamWord: /^--stream-json(?:-thinking)?$/ }],
  ['opencode', { make: opencode, streamWord: /^(?:--format=)?json$/ }],
  ['gemini', { make: gemini, streamWord: /stream-json$/ }],
  ['copilot', { make: copilot, streamWord: /^(?:--output-format=)?json$/ }],
])

/** The agent of a program, by its base name: `/opt/bin/claude` runs that path and is read as claude. */
export function agentFor(command: string): { agent: Agent; isKnown: boolean } {
  const cli = known.get(programName(command))
  return { agent: cli ? cli.make(command) : unknown(command), isKnown: cli !== undefined }
}

/**
 * The agent of an explicit command line: run word for word, nothing added. Its output is read as a stream
 * only if its own words ask for one; as plain text, a stream would pass tool output off as the agent's words.
 */
export function explicitAgent(argv: readonly string[]): Agent {
  const cli = known.get(programName(argv[0] ?? ''))
  if (!cli || !argv.some(word => cli.streamWord.test(word))) return custom(argv)
  const { parser } = cli.make()
  return custom(argv, () => parser('stream'))
}

/** A program that settings name: it gets the flags that stand beside it there. */
const unknown = (program: string): Agent => ({
  ...custom([program]),
  command: (ask, able) => custom([program, ...ask.flags]).command(ask, able),
})
