import type { Agent } from '../../core/ports.ts'
import { given, offer } from '../shared/flags.ts'
import { textParser } from '../shared/text.ts'
import { opencodeParser } from './stream.ts'

/** The last two are older spellings that it still takes, unlisted. */
const PERMISSIONS = ['--auto', '--no-auto', '--yolo', '--dangerously-skip-permissions']

/** OpenCode. A model is named with its provider: `anthropic/claude-opus-5-5`. */
export const opencode = (program = 'opencode'): Agent => ({
  name: 'opencode',
  command(ask, able) {
    const argv = [program, 'run', ...offer(able, '--format', ask.mode === 'stream' ? 'json' : 'default')]
    if (!given(ask.flags, ...PERMISSIONS)) argv.push(...offer(able, '--auto'))
    if (ask.model !== null && !given(ask.flags, '-m', '--model')) argv.push('-m', ask.model)
    return { argv: [...argv, ...ask.flags], env: {}, stdin: ask.prompt }
  },
  parser: mode => (mode === 'stream' ? opencodeParser() : textParser()),
})
