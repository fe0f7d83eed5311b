import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent } from '../../src/core/events.ts'
import { processRef } from '../../src/runners/process/proc.ts'
import { makeRunDir } from '../../src/runs/find.ts'
import { journalPath } from '../../src/store/journal.ts'
import { setStage } from '../cli/scene.ts'
import { journal } from '../view/report-journal.ts'

type Kind = 'finished' | 'exhausted' | 'crashed' | 'live'

/** A stage with runs that somebody made earlier, each with a session of a known size. */
export function setRuns() {
  const stage = setStage()
  const add = (id: string, kind: Kind = 'finished', project = stage.project, folder?: string) => {
    const pen = journal().iterate({ move: 'pass', usd: 0.11 })
    const [began, ...events] =
      kind === 'finished'
        ? pen.finish('complete', 'complete', 'verified')
        : kind === 'exhausted'
          ? pen.finish('exhausted', 'all 10 iterations are used')
          : pen.events
    const by = kind === 'live' ? processRef(process.pid) : undefined
    const first = { ...began, id, project, by, ...(folder && { folder }) } as RunEvent
    const lines = [first, ...events].map(event => `${JSON.stringify(event)}\n`)
    writeFileSync(journalPath(makeRunDir(stage.ralphHome, id)), lines.join(''))
    const session = join(project, '.ralph', 'sessions', id, 'iter-001')
    mkdirSync(session, { recursive: true })
    writeFileSync(join(session, 'stream.ndjson'), Buffer.alloc(2_000_000))
    return session
  }
  const left = () => ({
    runs: readdirSync(join(stage.ralphHome, 'runs')),
    sessions: readdirSync(join(stage.project, '.ralph', 'sessions')),
  })
  return { ...stage, add, left }
}
