import type { Agent } from '../core/ports.ts'
import { amp } from './amp/amp.ts'
import { claude } from './claude/claude.ts'
import type { Cli } from './cli.ts'
import { codex } from './codex/codex.ts'
import { copilot } from './copilot/copilot.ts'
import { gemini } from './gemini/gemini.ts'
import { opencode } from './opencode/opencode.ts'
import { textParser } from './shared/text.ts'

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

/** Any command: run word for word with the prompt on its standard input; its output is plain text by default. */
export const custom = (
  argv: readonly string[],
  { plain, parser, reports }: Pick<Agent, 'plain' | 'parser' | 'reports'> = PLAIN,
): Agent => ({
  name: programName(argv[0] ?? ''),
  ...(plain && { plain }),
  command: ask => ({ argv: [...argv], env: {}, stdin: ask.prompt }),
  reports,
  parser,
})

const PLAIN: Pick<Agent, 'plain' | 'parser' | 'reports'> = {
  plain: true,
  parser: () => textParser(),
  reports: () => null,
}

/** The name of a program without folder and extension: `/usr/bin/claude`, `claude.cmd` → `claude`. */
function programName(program: string): string {
  const base = program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1)
  return base.replace(/\.(?:exe|cmd|bat|ps1)$/i, '') || program
}

/** The built-in scripted agent: a real process that edits real files, with no key and no network. */
export const demoCli = (): Agent => ({
  ...claude.make(),
  name: 'demo',
  command: ask => ({
    argv: [process.execPath, process.argv[1] ?? '', 'demo-agent'],
    env: {},
    stdin: ask.prompt,
  }),
})

/** The names and patterns of variables that an agent may have although they look secret. An unknown agent has none. */
export function ownNames(
  agent: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const cli = known.get(agent)
  if (!cli) return []
  const providers = Object.entries(cli.ownEnvWhen ?? {}).filter(([variable]) => isOn(env[variable]))
  return [...cli.ownEnv, ...providers.flatMap(([, names]) => names)]
}

const isOn = (value = ''): boolean => !['', '0', 'false', 'no', 'off'].includes(value.trim().toLowerCase())
