import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { setRuns } from '../runs/stored-runs.ts'
import { refusal } from './scene.ts'

describe('ralph gc', () => {
  it('puts away all but the newest runs of this folder, and says what it freed', async () => {
    const stage = setRuns()
    for (const id of ['1-a', '2-b', '3-c', '4-d']) stage.add(id)
    const other = join(stage.root, 'other')
    stage.add('0-z', 'finished', other)
    const { code, stdout } = await stage.ralph('gc', '--keep', '2')
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^ {2}2-b {4}2\.0 MB {2}\S+\n {2}1-a {4}2\.0 MB .*\nfreed 4\.0 MB by deleting 2 runs, 2 kept\n$/,
    )
    expect(stage.left()).toEqual({ runs: ['0-z', '3-c', '4-d'], sessions: ['3-c', '4-d'] })
    expect(existsSync(join(other, '.ralph', 'sessions', '0-z'))).toBe(true)
  })

  it('keeps twenty unless it is told otherwise, and changes nothing in a dry run', async () => {
    const stage = setRuns()
    for (let i = 10; i < 32; i++) stage.add(`${i}-x`)
    const dry = await stage.ralph('gc', '--dry-run')
    expect(dry.stdout).toContain('would free 4.0 MB by deleting 2 runs, 20 kept\n')
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
    expect(stdout).toContain('by deleting 1 run, 3 kept\n3 older runs kept, because they are not finished\n')
    expect(stage.left().runs).toEqual(['1-live', '2-cut', '4-there'])
  })

  it('keeps a run that can be resumed, unless the user agrees', async () => {
    const stage = setRuns()
    stage.add('1-a')
    stage.add('2-limit', 'exhausted')
    const dry = await stage.ralph('gc', '--keep', '0', '--dry-run')
    const kept = '1 older run kept, because it can be resumed; --yes deletes it\n'
    expect(dry.stdout).toContain(kept)
    expect((await stage.ralph('gc', '--keep', '0')).stdout).toContain(`deleting 1 run, 1 kept\n${kept}`)
    expect(stage.left().runs).toEqual(['2-limit'])
    expect((await stage.ralph('gc', '--keep', '0', '--yes')).stdout).toContain('deleting 1 run, 0 kept\n')
    expect(stage.left().runs).toEqual([])
    // Nothing that is left speaks of a resume that is no longer possible.
    const report = await stage.ralph('report', '2-limit')
    expect(report.stdout).not.toContain('ralph resume')
    const { resume, deleted } = JSON.parse((await stage.ralph('report', '2-limit', '--json')).stdout)
    expect([resume, deleted]).toEqual([null, true])
    const resumed = await stage.ralph('resume', '2-limit')
    expect([resumed.code, resumed.stderr]).toEqual([
      2,
      'ralph: error: run "2-limit" was deleted by ralph gc; its receipt is left: ralph report 2-limit\n',
    ])
  })

  it.each(['-1', 'x', '1.5'])('--keep %s is one clear line and exit 2', async keep => {
    expect(await setRuns().ralph('gc', `--keep=${keep}`)).toMatchObject(
      refusal(/^ralph: error: [^\n]*whole number[^\n]*\n$/),
    )
  })
})
