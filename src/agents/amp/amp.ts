import type { Agent } from '../../core/ports.ts'
import type { Cli } from '../cli.ts'
import { given, offer } from '../shared/flags.ts'
import { apiKeys } from '../shared/payment.ts'
import { textParser } from '../shared/text.ts'
import { ampParser, noticeLogin } from './stream.ts'

const BYPASS = '--dangerously-allow-all'

const make = (program = 'amp'): Agent => ({
  name: 'amp',
  command(ask, able) {
    const argv = [program]
    if (ask.mode === 'stream') argv.push(...offer(able, '--stream-json'))
    // Its help does not list this flag, and it takes it all the same: that help is no reason to leave it out.
    if (!given(ask.flags, BYPASS)) argv.push(BYPASS)
    // It lets nobody choose a model, only a mode, which stands for one.
    if (ask.model !== null && !given(ask.flags, '-m', '--mode')) argv.push('--mode', ask.model)
    argv.push(...ask.flags)
    // Last, because it takes the word that follows for the prompt.
    if (!given(ask.flags, '-x', '--execute')) argv.push('-x')
    return { argv, env: {}, stdin: ask.prompt }
  },
  parser: mode => (mode === 'stream' ? ampParser() : noticeLogin(textParser())),
})

/** Sourcegraph's Amp. */
export const amp: Cli = {
  make,
  streamWord: /^--stream-json(?:-thinking)?$/,
  helpArgs: ['--help'],
  ownEnv: ['AMP_*'],
  payments: apiKeys('AMP_API_KEY'),
  npmPackage: '@sourcegraph/amp',
}
