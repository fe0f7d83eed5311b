import { spawn } from 'node:child_process'
import { existsSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { CannotGoOn } from '../../src/core/ports.ts'
import { openSession } from '../../src/store/session.ts'
import { scratch } from '../support/scratch.ts'

function setScene() {
  const project = scratch()
  const lost: string[] = []
  return { project, lost, session: openSession(project, 'id', {}, note => lost.push(note)) }
}

describe('a session folder that somebody removed', () => {
  it('does not come back for the files of a step: its agent may be the one who removes it', () => {
    const { session, project, lost } = setScene()
    rmSync(dirname(session.dir), { recursive: true })
    expect(() => session.folderFor(1)).toThrow(CannotGoOn)
    rmSync(project, { recursive: true })
    expect(() => session.folderFor(1)).toThrow(CannotGoOn)
    expect([existsSync(project), lost]).toEqual([false, []])
  })

  it('is made anew before a step, and that is told once', () => {
    const { session, lost } = setScene()
    for (const n of [1, 2]) {
      rmSync(dirname(session.dir), { recursive: true })
      session.ensureFolder()
      expect(existsSync(session.folderFor(n))).toBe(true)
    }
    expect(lost).toEqual([expect.stringContaining('was removed and is created again')])
  })

  it('is made while somebody goes on removing it', async () => {
    const { session } = setScene()
    const remover = spawn('sh', ['-c', 'while :; do rm -rf .ralph/sessions 2>/dev/null; done'], {
      cwd: dirname(dirname(dirname(session.dir))),
    })
    onTestFinished(() => void remover.kill('SIGKILL'))
    for (let n = 0; n < 300; n++) {
      session.logCall({ n })
      await turn()
    }
  })

  it('is not made anew in a project that is gone', () => {
    const { session, project } = setScene()
    rmSync(project, { recursive: true })
    expect(() => session.ensureFolder()).toThrow(/the project .* is gone/)
    expect(existsSync(project)).toBe(false)
  })
})

describe('the folder of a step', () => {
  const started = (id: number, n: number): RunEvent => ({
    type: 'started',
    at: 0,
    id,
    task: 't',
    stage: 'work',
    agent: 'a',
    n,
  })
  const names = (session: ReturnType<typeof openSession>, ids: (number | null)[]) =>
    ids.map(id => basename(session.folderOf(id)))

  it('is its own, also where two steps have the same number', () => {
    const { session } = setScene()
    for (const [id, n] of [
      [1, 1],
      [2, 2],
      [3, 2],
      [4, 2],
    ] as const)
      session.onEvent(started(id, n))
    expect(names(session, [2, 4, 1, 3, 2, null])).toEqual([
      'iter-002',
      'iter-002-3',
      'iter-001',
      'iter-002-2',
      'iter-002',
      'iter-000',
    ])
    expect([1, 3, null].map(session.numberOf)).toEqual([1, 2, 0])
  })

  it('has the same name after a crash, and later attempts have others', () => {
    const { session, project } = setScene()
    session.onEvent(started(1, 1))
    session.folderOf(1)
    const again = openSession(project, 'id', {}, () => {}, [started(1, 1)])
    again.onEvent(started(2, 1))
    expect(names(again, [1, 2])).toEqual(['iter-001', 'iter-001-2'])
  })

  it.each([
    ['a link to a folder', (path: string, aside: string) => symlinkSync(aside, path)],
    ['a link to nothing', (path: string, aside: string) => symlinkSync(join(aside, 'none'), path)],
    ['a file', (path: string) => writeFileSync(path, 'x')],
  ])('replaces %s that an agent put in its place', (_, put) => {
    const { session } = setScene()
    const aside = scratch()
    put(join(session.dir, 'iter-001'), aside)
    writeFileSync(join(session.folderFor(1), 'prompt.txt'), 'x')
    expect(readdirSync(aside)).toEqual([])
    expect(readdirSync(join(session.dir, 'iter-001'))).toEqual(['prompt.txt'])
  })
})
