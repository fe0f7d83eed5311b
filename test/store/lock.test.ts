import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { acquireLock, acquireRunLock } from '../../src/store/lock.ts'
import { scratch } from '../support/scratch.ts'

const holder = (run: string, pid = 100, host = hostname()) => ({ run, pid, startTime: `${pid}0`, host })
const alive = () => true
const dead = () => false
const lockFile = (home: string) => join(home, 'locks', readdirSync(join(home, 'locks'))[0]!)

describe('the lock of a project', () => {
  it('is refused while its holder lives', () => {
    const home = scratch()
    acquireLock(home, '/project', holder('first'), alive)
    expect(() => acquireLock(home, '/project', holder('second', 200), alive)).toThrow(
      'run first (pid 100) is already running in /project',
    )
  })

  it('does not keep other projects out', () => {
    const home = scratch()
    acquireLock(home, '/project', holder('first'), alive)
    expect(() => acquireLock(home, '/other', holder('second', 200), alive)).not.toThrow()
  })

  it('is free again once released, and leaves nothing behind', () => {
    const home = scratch()
    acquireLock(home, '/project', holder('first'), alive).release()
    expect(readdirSync(join(home, 'locks'))).toEqual([])
    acquireLock(home, '/project', holder('second', 200), alive)
  })

  it('is taken over from a holder that is gone', () => {
    const home = scratch()
    acquireLock(home, '/project', holder('crashed'), dead)
    acquireLock(home, '/project', holder('second', 200), dead)
    expect(JSON.parse(readFileSync(lockFile(home), 'utf8')).run).toBe('second')
    expect(readdirSync(join(home, 'locks'))).toHaveLength(1)
  })

  it('of another host is believed, and the host named, with what to remove if that is gone', () => {
    const home = scratch()
    acquireLock(home, '/project', holder('far', 100, 'elsewhere'), dead)
    expect(() => acquireLock(home, '/project', holder('near', 200), dead)).toThrow(
      /\(pid 100 on elsewhere\) is already running .*; if nothing runs on elsewhere any more, remove \S+\/locks\/\w+\.json$/,
    )
  })

  it('that is rubbish is taken over', () => {
    const home = scratch()
    acquireLock(home, '/project', holder('first'), alive)
    writeFileSync(lockFile(home), 'rubbish')
    acquireLock(home, '/project', holder('second', 200), alive)
    expect(JSON.parse(readFileSync(lockFile(home), 'utf8')).run).toBe('second')
  })

  it('taken over by another is not released by the one that lost it', () => {
    const home = scratch()
    const first = acquireLock(home, '/project', holder('first'), dead)
    acquireLock(home, '/project', holder('second', 200), dead)
    first.release()
    expect(JSON.parse(readFileSync(lockFile(home), 'utf8')).run).toBe('second')
  })
})

describe('the lock of a run', () => {
  it('is its own, also where runs share a folder, and says who holds it', () => {
    const home = scratch()
    acquireRunLock(home, holder('first'), alive)
    acquireRunLock(home, holder('other', 300), alive)
    expect(() => acquireRunLock(home, holder('first', 200), alive)).toThrow(
      'run first (pid 100) is already running',
    )
  })

  it('is taken over from a holder that is gone', () => {
    const home = scratch()
    acquireRunLock(home, holder('first'), dead)
    expect(() => acquireRunLock(home, holder('first', 200), dead)).not.toThrow()
  })
})
