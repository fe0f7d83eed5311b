import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { latestRun, makeRunDir } from '../../src/runs/find.ts'
import { beganIn, journalPath } from '../../src/store/journal.ts'
import { DONE, setPrompt } from '../host/hosted-prompt.ts'
import { scratch } from '../support/scratch.ts'
import { journal } from '../view/report-journal.ts'

/** A journal of one event, with its place at the beginning. */
function addRun(home: string, id: string, project: string) {
  const { type, at, ...rest } = { ...journal().events[0], id, project } as Record<string, unknown>
  const { v: _v, id: _id, project: _project, ...others } = rest
  const event = { type, at, v: 2, id, project, ...others }
  const dir = makeRunDir(home, id)
  writeFileSync(journalPath(dir), `${JSON.stringify(event)}\n`)
  return dir
}

describe('the latest run of a folder', () => {
  it('is found among those of others', () => {
    const home = scratch()
    const project = scratch('it\'s "here" \\ ')
    addRun(home, '20260301-000000-aaa', project)
    addRun(home, '20260302-000000-bbb', `${project}/sub`)
    addRun(home, '20260303-000000-ccc', '/elsewhere')
    expect(latestRun(home, project)?.id).toBe('20260301-000000-aaa')
  })

  it('is looked for without reading what the runs of other folders hold', () => {
    const home = scratch()
    const dir = addRun(home, '20260301-000000-aaa', '/elsewhere')
    const text = readFileSync(journalPath(dir), 'utf8')
    writeFileSync(journalPath(dir), `${text.slice(0, text.indexOf('"workflow"'))}${'x'.repeat(1024 ** 2)}`)
    expect(beganIn(dir)).toBe('/elsewhere')
    rmSync(journalPath(dir))
    expect(beganIn(dir)).toBeNull()
  })

  it('says so at the beginning of its journal', async () => {
    const run = setPrompt({ calls: [DONE] })
    await run.host()
    const [began] = run.journal()
    const { id } = began as { id: string }
    expect(beganIn(join(run.root, 'home', 'runs', id))).toBe(run.project)
  })
})
