import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { parseJson } from '../core/json.ts'
import { LIMITS, textAt } from '../store/files/read.ts'

const ref = z.object({ pid: z.number(), startTime: z.string(), host: z.string() })

const record = z.object({
  v: z.literal(1),
  name: z.string(),
  run: z.string(),
  project: z.string(),
  /** The command of its workflow. */
  command: z.string(),
  /** How its agent is watched: by its event stream, or by what its tmux pane shows. */
  watched: z.enum(['stream', 'screen']),
  /** Its window, `ralph:name`. Null if it runs in somebody's terminal. */
  window: z.nullable(z.string()),
  spawned: z.number(),
  /** The process that starts its supervisor, and until when it waits for that. */
  starter: ref,
  deadline: z.number(),
  supervisor: z.nullable(ref),
  /** The exit code of the run. Absent if it has not ended yet, or was cut off. */
  exit: z.optional(z.number()),
  /** The worktree that was made for it. */
  worktree: z.optional(
    z.object({ path: z.string(), branch: z.string(), root: z.string(), base: z.string() }),
  ),
})

/** `worker.json`: which run a worker is, and which process hosts it. */
export type WorkerRecord = z.infer<typeof record>

export const workersDir = (home: string): string => join(home, 'workers')

export const workerDir = (home: string, name: string): string => join(workersDir(home), name)

export const RECORD = 'worker.json'

/** The record of a worker. Null if there is none of this name, or it cannot be read. */
export function readWorker(home: string, name: string): WorkerRecord | null {
  // A name is one folder: it must not lead elsewhere.
  if (!/^[A-Za-z0-9][\w-]*$/.test(name)) return null
  const text = textAt(join(workerDir(home, name), RECORD), { limit: LIMITS.small })
  if (text === null) return null
  try {
    const read = record.safeParse(parseJson(text), { jitless: true })
    return read.success ? read.data : null
  } catch {
    return null
  }
}

/** The workers of this home, by name. */
export function allWorkers(home: string): WorkerRecord[] {
  try {
    return readdirSync(workersDir(home))
      .sort()
      .flatMap(name => readWorker(home, name) ?? [])
  } catch {
    return []
  }
}

/** What people call a run: by the name of its worker, if it has one. */
export function titleOf(home: string, run: string): string {
  const worker = allWorkers(home).find(one => one.run === run)
  return worker ? `worker '${worker.name}'` : `run ${run}`
}
