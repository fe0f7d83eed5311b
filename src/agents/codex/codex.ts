import type { Agent } from '../../core/ports.ts'
import type { Cli } from '../cli.ts'
import { given, offer } from '../shared/flags.ts'
import { apiKeys } from '../shared/payment.ts'
import { textParser } from '../shared/text.ts'
import { troubleOf } from '../shared/trouble.ts'
import { codexParser } from './stream.ts'

/** With any of these the user has settled the sandbox; the bypass flag would undo it, or be refused beside it. */
const PERMISSIONS = [
  '--dangerously-bypass-approvals-and-sandbox',
  '--yolo',
  '-s',
  '--sandbox',
  '--approve-for-me',
  '--full-auto',
]

/** In text mode its errors go to standard error (err-429-text.stderr.txt). */
const readComplaint = (line: string) => troubleOf(line.replace(/^ERROR: /, ''))

const make = (program = 'codex'): Agent => ({
  name: 'codex',
  command(ask, able) {
    const argv = [program, 'exec']
    if (ask.mode === 'stream') argv.push(...offer(able, '--json'))
    if (!given(ask.flags, '--skip-git-repo-check')) argv.push(...offer(able, '--skip-git-repo-check'))
    if (!given(ask.flags, ...PERMISSIONS) && !ask.flags.some(word => word.includes('sandbox_mode=')))
      argv.push(...offer(able, '--dangerously-bypass-approvals-and-sandbox'))
    if (ask.model !== null && !given(ask.flags, '-m', '--model')) argv.push('-m', ask.model)
    return { argv: [...argv, ...ask.flags, '-'], env: {}, stdin: ask.prompt }
  },
  parser: mode => (mode === 'stream' ? codexParser() : textParser(readComplaint)),
})

/** OpenAI's Codex CLI. */
export const codex: Cli = {
  make,
  streamWord: /^--json$/,
  helpArgs: ['exec', '--help'],
  ownEnv: ['OPENAI_*', 'CODEX_*', 'AZURE_OPENAI_*'],
  // It reads OPENAI_API_KEY only when somebody logs in with it.
  payments: apiKeys('CODEX_API_KEY'),
  npmPackage: '@openai/codex',
}
