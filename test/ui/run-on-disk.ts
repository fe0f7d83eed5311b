import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { processRef } from '../../src/runners/process/proc.ts'
import type { setStage } from '../cli/scene.ts'

const LIMITS = { iterations: 9, failures: 5, crashes: 3, stuck: 3, empties: 2, limitWaitMs: 0 }

/** A build on disk as ralph writes it, which this process stands for: its journal, the stream of its agent, its list. */
export function runOnDisk(
  stage: ReturnType<typeof setStage>,
  tasks: readonly [id: string, title: string][] = [['#1', 'Make a cart']],
) {
  const id = '20260301-221530-k3f'
  const session = join(stage.project, '.ralph', 'sessions', id)
  const folder = join(session, 'iter-001')
  const dir = join(stage.ralphHome, 'runs', id)
  for (const path of [folder, dir]) mkdirSync(path, { recursive: true })
  const stream = join(folder, 'stream.ndjson')
  const record = (event: object) =>
    appendFileSync(join(dir, 'journal.ndjson'), `${JSON.stringify({ at: Date.now(), ...event })}\n`)
  record({
    ...{ type: 'began', v: 2, id, project: stage.project, workflow: 'build', by: processRef(process.pid) },
    limits: { ...LIMITS, usd: null, tokens: null, ms: null, additions: 200 },
    tasks: tasks.map(([task, title]) => ({ id: task, title, blockedBy: [] })),
    pins: {
      ...{ workflow: 'build', project: stage.project, settings: {}, once: false, start: null },
      agent: { argv: ['claude'], explicit: false, model: null },
      ...{ goal: { type: 'goal', text: 'A shop' }, refine: 'auto', asks: false, list: null, planOnly: false },
    },
  })
  return {
    id,
    folder,
    record,
    /** An agent begins to work on a task. */
    start() {
      writeFileSync(stream, '')
      record({ type: 'started', id: 1, task: tasks[0]![0], stage: 'work', agent: 'claude', n: 1 })
    },
    /** What the agent's stream gets: bytes, or messages of its own format. */
    write: (bytes: Uint8Array | string) => appendFileSync(stream, bytes),
    say: (...content: object[]) =>
      appendFileSync(stream, `${JSON.stringify({ type: 'assistant', message: { content } })}\n`),
    result: (of: string, content: string) =>
      appendFileSync(
        stream,
        `${JSON.stringify({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: of, content }] } })}\n`,
      ),
    writeList: (text: Uint8Array | string) => writeFileSync(join(session, 'tasks.json'), text),
  }
}
