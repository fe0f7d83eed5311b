import { readdirSync, readFileSync } from 'node:fs'
import { amp } from '../../src/agents/amp/amp.ts'
import { claude } from '../../src/agents/claude/claude.ts'
import { codex } from '../../src/agents/codex/codex.ts'
import { copilot } from '../../src/agents/copilot/copilot.ts'
import { gemini } from '../../src/agents/gemini/gemini.ts'
import { opencode } from '../../src/agents/opencode/opencode.ts'
import type { AgentEnded, AgentEvent, Exit } from '../../src/core/events.ts'
import type { Ask, Parser } from '../../src/core/ports.ts'

export const AGENTS = {
  claude: claude.make(),
  codex: codex.make(),
  amp: amp.make(),
  opencode: opencode.make(),
  gemini: gemini.make(),
  copilot: copilot.make(),
}
export type Cli = keyof typeof AGENTS
export const CLIS = Object.keys(AGENTS) as Cli[]

export const exitOf = (how: number | string): Exit =>
  typeof how === 'number' ? { code: how, signal: null } : { code: null, signal: how }

const folder = (cli: Cli) => new URL(`../recordings/${cli}/`, import.meta.url)

export const recordingsOf = (cli: Cli): string[] => readdirSync(folder(cli)).sort()

/** The lines a recorded run wrote to standard output; a recorded standard error means that there were none. */
export function linesOf(cli: Cli, file: string): string[] {
  if (file.endsWith('.stderr.txt')) return []
  return readFileSync(new URL(file, folder(cli)), 'utf8')
    .replace(/\n$/, '')
    .split('\n')
}

/** The last line of a recorded standard error. */
export const complaintIn = (cli: Cli, file: string): string =>
  file.endsWith('.stderr.txt')
    ? readFileSync(new URL(file, folder(cli)), 'utf8')
        .trimEnd()
        .split('\n')
        .at(-1)!
    : ''

export const modeOf = (file: string): Ask['mode'] =>
  file.endsWith('.txt') && !file.endsWith('.stderr.txt') ? 'text' : 'stream'

/** Everything a parser yields for these lines and this exit. */
export const play = (
  parser: Parser,
  lines: Iterable<string>,
  exit: Exit = exitOf(0),
  complaint = '',
): AgentEvent[] => [...[...lines].flatMap(line => parser.line(line)), ...parser.end(exit, complaint)]

export const playAll = (cli: Cli, messages: unknown[], exit: Exit = exitOf(0)): AgentEvent[] =>
  play(
    AGENTS[cli].parser('stream'),
    messages.map(message => JSON.stringify(message)),
    exit,
  )

export function endedOf(events: AgentEvent[]): AgentEnded {
  const last = events.at(-1)
  if (last?.type !== 'ended') throw new Error(`the last event is ${last?.type}`)
  return last
}
