import type { Agent } from '../../core/ports.ts'
import type { Cli } from '../cli.ts'
import { given, offer } from '../shared/flags.ts'
import { apiKeys } from '../shared/payment.ts'
import { textParser } from '../shared/text.ts'
import { geminiParser } from './stream.ts'

/** With any of these the user has settled permissions; --yolo would undo it, or be refused beside it. */
const PERMISSIONS = ['-y', '--yolo', '--approval-mode', '--allowed-tools']

const make = (program = 'gemini'): Agent => ({
  name: 'gemini',
  command(ask, able) {
    const argv = [program, ...offer(able, '-o', ask.mode === 'stream' ? 'stream-json' : 'text')]
    if (!given(ask.flags, ...PERMISSIONS)) argv.push(...offer(able, '--yolo'))
    // In a folder that it was not told to trust, it refuses to work unattended.
    if (!given(ask.flags, '--skip-trust')) argv.push(...offer(able, '--skip-trust'))
    if (ask.model !== null && !given(ask.flags, '-m', '--model')) argv.push('-m', ask.model)
    return { argv: [...argv, ...ask.flags], env: {}, stdin: ask.prompt }
  },
  parser: mode => (mode === 'stream' ? geminiParser() : textParser()),
})

/** Google's Gemini CLI. */
export const gemini: Cli = {
  make,
  streamWord: /stream-json$/,
  helpArgs: ['--help'],
  ownEnv: ['GEMINI_*', 'GOOGLE_*'],
  payments: apiKeys('GEMINI_API_KEY', 'GOOGLE_API_KEY'),
  npmPackage: '@google/gemini-cli',
}
