import type { StageTable } from '../../core/table.ts'
import type { PromptSpec } from './spec.ts'

/**
 * `ralph run`: one task, until the agent signals that it is done and the checks are green. The condition may also let
 * green checks alone be enough, or an agent that finds nothing more to do.
 */
export const runTable = ({
  response,
  pattern,
  untilGreen,
  unchanged,
}: Partial<PromptSpec['condition']> = {}): StageTable => ({
  name: 'run',
  first: 'work',
  width: 1,
  rounds: 0,
  bugs: 0,
  stages: {
    work: {
      ends: untilGreen ? 'checks' : 'signal',
      ...(unchanged !== undefined && { passesUnchanged: unchanged }),
      ...(response === null && pattern === null && !untilGreen && { repeats: true as const }),
      tries: Number.POSITIVE_INFINITY,
      on: { pass: 'done', more: 'work', fail: 'work', spent: 'blocked' },
    },
  },
})
