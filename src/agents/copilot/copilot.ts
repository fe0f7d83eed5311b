import type { Agent } from '../../core/ports.ts'
import type { Cli } from '../cli.ts'
import { given, offer } from '../shared/flags.ts'
import { textParser } from '../shared/text.ts'
import { troubleOf } from '../shared/trouble.ts'
import { copilotParser } from './stream.ts'

/** With any of these the user has settled permissions; the bypass flag would undo it. */
const PERMISSIONS = ['--allow-all-tools', '--allow-all', '--yolo', '--allow-tool', '--assisted-approval']

/** In text mode an error goes to standard error, its HTTP status first (err-429-retry-after-text.stderr.txt). */
const readComplaint = (line: string) => troubleOf(line, Number(/^(\d{3}) /.exec(line)?.[1]))

const make = (program = 'copilot'): Agent => ({
  name: 'copilot',
  command(ask, able) {
    const argv = [program]
    if (ask.mode === 'stream') argv.push(...offer(able, '--output-format', 'json'))
    // Unless it is told to be silent, its text shows what tools printed.
    else if (!given(ask.flags, '-s', '--silent')) argv.push(...offer(able, '-s'))
    if (!given(ask.flags, ...PERMISSIONS)) argv.push(...offer(able, '--allow-all-tools'))
    if (!given(ask.flags, '--no-auto-update')) argv.push(...offer(able, '--no-auto-update'))
    if (ask.model !== null && !given(ask.flags, '--model')) argv.push('--model', ask.model)
    return { argv: [...argv, ...ask.flags], env: {}, stdin: ask.prompt }
  },
  parser: mode => (mode === 'stream' ? copilotParser() : textParser(readComplaint)),
})

/** GitHub's Copilot CLI. */
export const copilot: Cli = {
  make,
  streamWord: /^(?:--output-format=)?json$/,
  helpArgs: ['--help'],
  ownEnv: ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN'],
  payments: [
    { variable: 'COPILOT_PROVIDER_BASE_URL', kind: 'a provider of your own' },
    { variable: 'COPILOT_GITHUB_TOKEN', kind: 'GitHub token' },
    { variable: 'GH_TOKEN', kind: 'GitHub token' },
    { variable: 'GITHUB_TOKEN', kind: 'GitHub token' },
  ],
  npmPackage: '@github/copilot',
}
