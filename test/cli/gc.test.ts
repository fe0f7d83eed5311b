import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { processRef } from '../../src/runners/process/proc.ts'
import { makeRunDir } from '../../src/runs/find.ts'
import { journalPath } from '../../src/store/journal.ts'
import { journal } from '../view/report-journal.ts'
import { setStage } from './scene.ts'

type Kind = 'finished' | 'crashed' | 'live'

/** A stage with runs that somebody made earlier, each with a session of a known size. */
function setRuns() {
  const stage = setStage()
  const add = (id: string, kind: Kind = 'finished', project = stage.project) => {
    const pen = journal().iterate({ move: 'pass', usd: 0.11 })
    const [began, ...events] =
      kind === 'finished' ? pen.finish('complete', 'complete', 'verified') : pen.events
    const by = kind === 'live' ? processRef(process.pid) : undefined
    const first = { ...began, id, project, by } as RunEvent
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

describe('ralph gc', () => {
  it('puts away all but the newest runs of this folder, and says what it freed', async () => {
    const stage = setRuns()
    for (const id of ['1-a', '2-b', '3-c', '4-d']) stage.add(id)
    const other = join(stage.root, 'other')
    stage.add('0-z', 'finished', other)
    const { code, stdout } = await stage.ralph('gc', '--keep', '2')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^ {2}2-b {4}2\.0 MB {2}\S+\n {2}1-a {4}2\.0 MB .*\nfreed 4\.0 MB: 2 runs put away, 2 kept\n$/,
    )
    expect(stage.left()).toEqual({ runs: ['0-z', '3-c', '4-d'], sessions: ['3-c', '4-d'] })
    expect(existsSync(join(other, '.ralph', 'sessions', '0-z'))).toBe(true)
  })

  it('keeps the receipt of what it puts away', async () => {
    const stage = setRuns()
    stage.add('1-a')
    stage.add('2-b')
    const before = await stage.ralph('report', '1-a')
    await stage.ralph('gc', '--keep', '0')
    for (const name of ['1-a', '1', 'a']) expect(await stage.ralph('report', name)).toEqual(before)
    expect(JSON.parse((await stage.ralph('report', '2-b', '--json')).stdout).totals.usd).toBe(0.11)
    expect((await stage.ralph('report')).stdout).toContain('ralph run 2-b\n')
    expect((await stage.ralph('report', '3')).stderr).toContain('no run "3" in')
  })

  it('keeps twenty unless it is told otherwise, and changes nothing in a dry run', async () => {
    const stage = setRuns()
    for (let i = 10; i < 32; i++) stage.add(`${i}-x`)
    const dry = await stage.ralph('gc', '--dry-run')
    expect(dry.stdout).toContain('would free 4.0 MB: 2 runs put away, 20 kept\n')
    expect(stage.left().runs).toHaveLength(22)
    await stage.ralph('gc')
    expect(stage.left().runs).toHaveLength(20)
  })

  it('never touches a run that is at work or not finished, unless its project is gone', async () => {
    const stage = setRuns()
    stage.add('1-live', 'live')
    stage.add('2-cut', 'crashed')
    const other = join(stage.root, 'other')
    stage.add('3-gone', 'crashed', other)
    stage.add('4-there', 'crashed', join(stage.root, 'third'))
    rmSync(other, { recursive: true })
    const { stdout } = await stage.ralph('gc', '--keep', '0', '--all')
    expect(stdout).toContain('1 run put away, 3 kept\n3 older runs kept, because they are not finished\n')
    expect(stage.left().runs).toEqual(['1-live', '2-cut', '4-there'])
  })

  it('follows no link out of the project', async () => {
    const stage = setRuns()
    stage.add('1-a')
    const precious = join(stage.root, 'precious')
    mkdirSync(join(precious, '1-a'), { recursive: true })
    writeFileSync(join(precious, '1-a', 'file'), 'x')
    rmSync(join(stage.project, '.ralph', 'sessions'), { recursive: true })
    symlinkSync(precious, join(stage.project, '.ralph', 'sessions'))
    expect((await stage.ralph('gc', '--keep', '0')).code).toBe(0)
    expect(readFileSync(join(precious, '1-a', 'file'), 'utf8')).toBe('x')
  })

  it('is done to the end by the next, after a crash in the middle', async () => {
    const stage = setRuns()
    rmSync(join(stage.add('1-a'), '..'), { recursive: true })
    await stage.ralph('gc', '--keep', '0')
    expect(stage.left().runs).toEqual([])
  })

  it.each(['-1', 'x', '1.5'])('--keep %s is one clear line and exit 2', async keep => {
    const ran = await setRuns().ralph('gc', `--keep=${keep}`)
    expect([ran.code, ran.stderr]).toEqual([
      2,
      expect.stringMatching(/^ralph: error: [^\n]*whole number[^\n]*\n$/),
    ])
  })
})
