import { rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { OWN_DEPTH, parseJson } from '../core/json.ts'
import type { Limits } from '../core/table.ts'
import { UsageError } from '../core/usage-error.ts'
import { replaceFile } from '../store/files/atomic.ts'
import { LIMITS, textAt } from '../store/files/read.ts'
import { FILES } from './folder.ts'

/** What a supervisor has to do: begin a run, or continue it. */
export type LaunchOrder =
  | {
      type: 'begin'
      run: string
      workflow: string
      pins: Record<string, unknown>
      limits: Limits
      warnings: string[]
      shared: boolean
    }
  | {
      type: 'resume'
      run: string
      shared: boolean
      maxIterations?: number
      maxCost?: number
      maxTokens?: number
      maxTime?: number
    }

const amount = z.optional(z.number())

const order: z.ZodMiniType<LaunchOrder> = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('begin'),
    run: z.string(),
    workflow: z.string(),
    pins: z.record(z.string(), z.unknown()),
    limits: z.custom<Limits>(value => typeof value === 'object' && value !== null),
    warnings: z.array(z.string()),
    shared: z.boolean(),
  }),
  z.looseObject({
    type: z.literal('resume'),
    run: z.string(),
    shared: z.boolean(),
    maxIterations: amount,
    maxCost: amount,
    maxTokens: amount,
    maxTime: amount,
  }),
])

/** Only the user may read it: a prompt can be in it. */
export const writeOrder = (dir: string, wanted: LaunchOrder): void =>
  replaceFile(join(dir, FILES.launch), JSON.stringify(wanted), 0o600)

/** Reads an order and removes it: it is meant for one supervisor. */
export function takeOrder(dir: string): LaunchOrder {
  const path = join(dir, FILES.launch)
  const text = textAt(path, { limit: LIMITS.own })
  if (text === null) throw new UsageError(`${path} is missing; start workers with: ralph spawn`)
  const read = order.safeParse(parseJson(text, OWN_DEPTH), { jitless: true })
  if (!read.success) throw new UsageError(`${path} cannot be used: ${read.error.issues[0]?.message}`)
  rmSync(path, { force: true })
  return read.data
}
