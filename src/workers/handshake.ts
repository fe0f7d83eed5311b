import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, lstatSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { ProcessRef } from '../core/events.ts'
import { OWN_DEPTH, parseJson } from '../core/json.ts'
import type { Limits } from '../core/table.ts'
import { UsageError } from '../core/usage-error.ts'
import { processRef } from '../runners/process/proc.ts'
import { replaceFile } from '../store/files/atomic.ts'
import { openNewFile } from '../store/files/growing.ts'
import { LIMITS, textAt } from '../store/files/read.ts'
import { FILES } from './folder.ts'

/** How long a new supervisor has to take up its run. */
export const START_MS = 10_000

/** The descriptor by which a supervisor answers the one who started it. */
const ANSWER = 3

/**
 * What keeps a supervisor small: it may live for weeks beside many others, and mostly waits. Young objects get little
 * room, and no threads stand by for the garbage collector.
 */
const SMALL = ['--max-semi-space-size=1', '--optimize-for-size', '--v8-pool-size=0']

const amount = z.optional(z.number())

const order = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('begin'),
    run: z.string(),
    workflow: z.string(),
    pins: z.record(z.string(), z.unknown()),
    limits: z.custom<Limits>(value => typeof value === 'object' && value !== null),
    warnings: z.array(z.string()),
    shared: z.boolean(),
  }),
  z.object({
    type: z.literal('resume'),
    run: z.string(),
    shared: z.boolean(),
    maxIterations: amount,
    maxCost: amount,
    maxTokens: amount,
    maxTime: amount,
  }),
])

/** What a supervisor has to do: begin a run, or continue it. */
export type LaunchOrder = z.infer<typeof order>

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

type Answer = { ok: true } | { error: string; isUsage: boolean }

/** The supervisor's side. Only the first answer counts. */
export function answerStarter(): { begun(): void; failed(error: Error): void } {
  let isOpen = true
  const say = (answer: Answer) => {
    if (!isOpen) return
    isOpen = false
    try {
      writeSync(ANSWER, `${JSON.stringify(answer)}\n`)
      closeSync(ANSWER)
    } catch {
      // The one who started it has gone, or there was none.
    }
  }
  return {
    begun: () => say({ ok: true }),
    failed: error => say({ error: error.message, isUsage: error instanceof UsageError }),
  }
}

/**
 * Starts a supervisor in a session of its own, so that it outlives this terminal, and waits until it has taken up its
 * run. What goes wrong by then is thrown here. `onStarted`: its process is known.
 */
export async function startSupervisor(
  dir: string,
  name: string,
  env: NodeJS.ProcessEnv,
  onStarted: (ref: ProcessRef) => void,
): Promise<void> {
  const log = newLog(join(dir, FILES.supervisor))
  const child = spawn(process.execPath, [...SMALL, process.argv[1] ?? '', 'supervise', name], {
    cwd: '/',
    env,
    detached: true,
    stdio: ['ignore', log, log, 'pipe'],
  })
  closeSync(log)
  if (child.pid !== undefined) onStarted(processRef(child.pid))
  const answer = await Promise.race([answerOf(child, dir), delay(START_MS, null, { ref: false })])
  child.stdio[ANSWER]?.destroy()
  child.unref()
  if (answer === null) {
    child.kill('SIGKILL')
    throw new Error(
      `worker '${name}' did not start within ${START_MS / 1000}s; see ${join(dir, FILES.supervisor)}`,
    )
  }
  if ('error' in answer) throw answer.isUsage ? new UsageError(answer.error) : new Error(answer.error)
}

/** Keeps what the supervisor before printed: it may say why it crashed. */
function newLog(path: string): number {
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > 0) renameSync(path, `${path}.1`)
  return openNewFile(path)
}

function answerOf(child: ChildProcess, dir: string): Promise<Answer> {
  return new Promise(resolve => {
    let text = ''
    const pipe = child.stdio[ANSWER] as NodeJS.ReadableStream | null
    pipe?.setEncoding('utf8')
    pipe?.on('data', (chunk: string) => {
      text += chunk
      if (text.includes('\n')) resolve(JSON.parse(text.split('\n', 1)[0]!))
    })
    const ended = () => resolve({ error: lastWords(dir), isUsage: false })
    child.once('error', error => resolve({ error: error.message, isUsage: false }))
    pipe?.on('end', ended)
  })
}

function lastWords(dir: string): string {
  const log = join(dir, FILES.supervisor)
  const lines = (textAt(log, { limit: LIMITS.text }) ?? '').trim().split('\n')
  return `the supervisor ended before it began: ${lines.at(-1) || 'it said nothing'} (${log})`
}
