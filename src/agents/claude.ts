import type { Agent } from '../core/ports.ts'
import { claudeParser } from './claude-stream.ts'
import { given, takes } from './flags.ts'
import { textParser } from './text.ts'

/** With any of these the user has settled permissions; the bypass flag would undo it. */
const PERMISSIONS = [
  '--dangerously-skip-permissions',
  '--permission-mode',
  '--allowedTools',
  '--allowed-tools',
]

const CENT = 0.01

/** Claude Code. */
export const claude = (program = 'claude'): Agent => ({
  name: 'claude',
  command(ask, able) {
    const argv = [program, '-p', '--output-format']
    // Without --verbose, it refuses to stream.
    argv.push(...(ask.mode === 'stream' ? ['stream-json', '--verbose'] : ['text']))
    if (!given(ask.flags, ...PERMISSIONS)) argv.push('--dangerously-skip-permissions')
    if (ask.model !== null && !given(ask.flags, '--model')) argv.push('--model', ask.model)
    const budget = '--max-budget-usd'
    if (ask.budgetUsd !== null && takes(able, budget) && !given(ask.flags, budget))
      argv.push(budget, Math.max(ask.budgetUsd, CENT).toFixed(2))
    // As root it refuses its bypass flag unless it is told that this is a sandbox.
    const env: Record<string, string> = ask.root ? { IS_SANDBOX: '1' } : {}
    return { argv: [...argv, ...ask.flags], env, stdin: ask.prompt }
  },
  parser: mode => (mode === 'stream' ? claudeParser() : textParser()),
})
