import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
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
    expect(() => session.folderFor({ n: 1 })).toThrow(CannotGoOn)
    rmSync(project, { recursive: true })
    expect(() => session.folderFor({ n: 1 })).toThrow(CannotGoOn)
    expect([existsSync(project), lost]).toEqual([false, []])
  })

  it('is made anew before a step, and that is told once', () => {
    const { session, lost } = setScene()
    for (const n of [1, 2]) {
      rmSync(dirname(session.dir), { recursive: true })
      session.ready()
      expect(existsSync(session.folderFor({ n }))).toBe(true)
    }
    expect(lost).toEqual([expect.stringContaining('was removed and is created again')])
  })

  it('is not made anew in a project that is gone', () => {
    const { session, project } = setScene()
    rmSync(project, { recursive: true })
    expect(() => session.ready()).toThrow(/the project .* is gone/)
    expect(existsSync(project)).toBe(false)
  })
})
