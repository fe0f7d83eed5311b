import * as z from 'zod/mini'
import type { StageTable } from '../../core/table.ts'
import { type RunSpec, specSchema } from '../spec.ts'

export type PromptSpec = RunSpec & {
  prompt: { type: 'text'; text: string } | { type: 'file'; path: string }
  condition: {
    response: string | null
    pattern: string | null
    /** Green checks are enough. */
    untilGreen?: true
    /** How many iterations in a row that change nothing and leave the checks green are enough. Absent: none are. */
    unchanged?: number
  }
}

export const promptSchema = specSchema({
  prompt: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text'), text: z.string() }),
    z.looseObject({ type: z.literal('file'), path: z.string() }),
  ]),
  condition: z.looseObject({
    response: z.nullable(z.string()),
    pattern: z.nullable(z.string()),
    untilGreen: z.optional(z.literal(true)),
    unchanged: z.optional(z.number()),
  }),
})

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
