import type { Agent } from '../core/ports.ts'
import { textParser } from './shared/text.ts'

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

/** The name a program goes by: `/usr/bin/claude`, `claude.cmd` → `claude`. */
export function programName(program: string): string {
  const base = program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1)
  return base.replace(/\.(?:exe|cmd|bat|ps1)$/i, '') || program
}
