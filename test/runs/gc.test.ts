import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { reportRun } from '../../src/cli/commands/see/report.ts'
import { UsageError } from '../../src/core/usage-error.ts'
import { collectGarbage } from '../../src/runs/gc.ts'
import { workflows } from '../../src/workflows/index.ts'
import { callWith } from '../support/io.ts'
import { setRuns } from './stored-runs.ts'

const keepNone = ({ env, project }: ReturnType<typeof setRuns>, all = false) =>
  callWith(env, io => collectGarbage(workflows, { projectDir: project, keep: 0, all }, io))

describe('collecting garbage', () => {
  it('keeps the receipt of what it puts away', async () => {
    const stage = setRuns()
    stage.add('1-a')
    stage.add('2-b')
    const report = (name?: string, json = false) =>
      callWith(stage.env, io => reportRun(name, { projectDir: stage.project, json }, io))
    const before = await report('1-a')
    await keepNone(stage)
    for (const name of ['1-a', '1', 'a']) expect(await report(name)).toEqual(before)
    expect(JSON.parse((await report('2-b', true)).stdout).totals.usd).toBe(0.11)
    expect((await report()).stdout).toContain('ralph run 2-b\n')
    await expect(report('3')).rejects.toThrow(
      new UsageError(`no run "3" in ${stage.ralphHome}/runs; ralph ls --all lists those of this project`),
    )
  })

  it('follows no link out of the project', async () => {
    const stage = setRuns()
    stage.add('1-a')
    const precious = join(stage.root, 'precious')
    mkdirSync(join(precious, '1-a'), { recursive: true })
    writeFileSync(join(precious, '1-a', 'file'), 'x')
    rmSync(join(stage.project, '.ralph', 'sessions'), { recursive: true })
    symlinkSync(precious, join(stage.project, '.ralph', 'sessions'))
    expect((await keepNone(stage)).code).toBe(0)
    expect(readFileSync(join(precious, '1-a', 'file'), 'utf8')).toBe('x')
  })

  it('removes no session of another folder at the path of the project', async () => {
    const stage = setRuns()
    const session = stage.add('1-a', 'finished', stage.project, 'another')
    expect((await keepNone(stage, true)).code).toBe(0)
    expect([existsSync(session), stage.left().runs]).toEqual([true, []])
  })

  it('is done to the end by the next, after a crash in the middle', async () => {
    const stage = setRuns()
    rmSync(join(stage.add('1-a'), '..'), { recursive: true })
    await keepNone(stage)
    expect(stage.left().runs).toEqual([])
  })
})
