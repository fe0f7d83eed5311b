import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { folderTester, lockIn } from '../../src/git/locks/find.ts'
import { type LockRemoval, lastingLocks, pastLocks } from '../../src/git/locks/lasting.ts'
import { recordStart } from '../../src/git/start.ts'
import { watchLockOwners } from '../../src/runners/process/proc.ts'
import { scratch } from '../support/scratch.ts'

const env = { PATH: process.env.PATH ?? '' }
const waits = { alone: 100, owned: 1000 }
/** Where nobody owns it: but a git of another test may look as if it could, for as long as it runs. */
const patient = { alone: 100, owned: 20_000 }

/** A repository with a linked working tree `linked` beside it. */
async function lay(place: 'main' | 'linked' = 'main') {
  const top = scratch()
  const git = (...args: string[]) => execFileSync('git', args, { cwd: join(top, 'main'), stdio: 'pipe' })
  execFileSync('git', ['init', '-q', '-b', 'trunk', join(top, 'main')])
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'begin')
  git('worktree', 'add', '-q', '-b', 'side', join(top, 'linked'))
  const root = join(top, place)
  const start = (await recordStart(root, env))!
  const removed: string[] = []
  const removal: LockRemoval = {
    since: Date.now() - 1000,
    watchOwners: () => watchLockOwners(folderTester(start)),
    onRemoved: path => void removed.push(path),
  }
  const lock = (name: string) => {
    const path = join(top, name)
    writeFileSync(path, '')
    return path
  }
  return { top, root, dirs: start.dirs, removal, removed, lock }
}

describe.skipIf(process.platform !== 'linux')('a stale lock', () => {
  it.each([
    'main/.git/worktrees/linked/index.lock',
    'main/.git/worktrees/linked/HEAD.lock',
    'main/.git/refs/heads/side.lock',
    'main/.git/packed-refs.lock',
    'main/.git/config.lock',
  ])('of a linked working tree is found and removed: %s', async name => {
    const { dirs, removal, removed, lock } = await lay('linked')
    const path = lock(name)
    expect(await lastingLocks(dirs, { waits })).toEqual([path])
    expect(await lastingLocks(dirs, { waits: patient, removal })).toEqual([])
    expect([removed, existsSync(path)]).toEqual([[path], false])
  })

  it('that git named is found wherever it is in the repository, and nowhere else', async () => {
    const { dirs, lock } = await lay()
    const path = lock('main/.git/refs/heads/other.lock')
    expect(await lastingLocks(dirs, { waits })).toEqual([])
    expect(await lastingLocks(dirs, { waits, named: [path, lock('mine.lock')] })).toEqual([path])
  })

  it.each(['main', 'linked', 'main/.git/worktrees/linked'])(
    'stays while a git that began before it lives in %s',
    async folder => {
      const { top, dirs, removal, lock } = await lay('linked')
      const git = spawn('git', ['cat-file', '--batch'], { cwd: join(top, folder), stdio: 'pipe' })
      onTestFinished(() => void git.kill())
      git.stdin.write('HEAD\n')
      await once(git.stdout, 'data')
      const path = lock('main/.git/packed-refs.lock')
      expect(await lastingLocks(dirs, { waits, removal })).toEqual([path])
      git.kill()
      await once(git, 'exit')
      expect(await lastingLocks(dirs, { waits: patient, removal })).toEqual([])
    },
  )

  it.each([
    ['by its environment', ['cat-file', '--batch'], true],
    ['by its arguments', ['--git-dir', 'main/.git', 'cat-file', '--batch'], false],
  ])('stays while a git elsewhere may work here, %s', async (_, args, byEnv) => {
    const { top, dirs, removal, lock } = await lay()
    const own = byEnv ? { ...env, GIT_DIR: join(top, 'main/.git') } : env
    const git = spawn('git', args, { cwd: top, env: own, stdio: 'pipe' })
    onTestFinished(() => void git.kill())
    git.stdin.write('HEAD\n')
    await once(git.stdout, 'data')
    const path = lock('main/.git/HEAD.lock')
    expect(await lastingLocks(dirs, { waits, removal })).toEqual([path])
  })

  it('stays while any program has it open', async () => {
    const { dirs, removal, lock } = await lay()
    const path = lock('main/.git/index.lock')
    const fd = openSync(path, 'r')
    expect(await lastingLocks(dirs, { waits, removal })).toEqual([path])
    closeSync(fd)
    expect(await lastingLocks(dirs, { waits: patient, removal })).toEqual([])
  })

  it('goes although a git lives in another repository', async () => {
    const { top, dirs, removal, lock } = await lay()
    execFileSync('git', ['init', '-q', join(top, 'other')])
    const git = spawn('git', ['cat-file', '--batch'], { cwd: join(top, 'other'), env, stdio: 'pipe' })
    onTestFinished(() => void git.kill())
    await once(git, 'spawn')
    lock('main/.git/HEAD.lock')
    expect(await lastingLocks(dirs, { waits: patient, removal })).toEqual([])
  })

  it('stays if it was there before the run, or if nobody can tell whose it is', async () => {
    const { dirs, removal, lock } = await lay()
    const path = lock('main/.git/HEAD.lock')
    expect(await lastingLocks(dirs, { waits, removal: { ...removal, since: Date.now() + 1000 } })).toEqual([
      path,
    ])
    expect(await lastingLocks(dirs, { waits, removal: { ...removal, watchOwners: () => null } })).toEqual([
      path,
    ])
  })
})

describe('a git command that meets a lock', () => {
  it('is tried again once the lock is gone, and not if it lasts or something else is wrong', async () => {
    const { dirs, lock } = await lay()
    const path = lock('main/.git/index.lock')
    const complaint = `fatal: Unable to create '${path}': File exists.`
    let tries = 0
    const act = (failure: string | null) => async () => {
      tries++
      return existsSync(path) ? complaint : failure
    }
    expect(await pastLocks(dirs, { waits }, act(null))).toEqual({ failure: complaint, locks: [path] })
    setTimeout(() => rmSync(path), 50)
    expect(await pastLocks(dirs, {}, act(null))).toBeNull()
    tries = 0
    expect(await pastLocks(dirs, {}, act('nothing to commit'))).toEqual({
      failure: 'nothing to commit',
      locks: [],
    })
    expect(tries).toBe(1)
  })

  it.each([
    ["fatal: Unable to create '/a b/.git/index.lock': File exists.", '/a b/.git/index.lock'],
    ["cannot lock ref 'HEAD': Unable to create '/a/.git/HEAD.lock': File exists.", '/a/.git/HEAD.lock'],
    [
      "fatal: Konnte '/a/.git/refs/heads/x.lock' nicht erstellen: Die Datei existiert bereits",
      '/a/.git/refs/heads/x.lock',
    ],
    ['error: /a/yarn.lockfile is odd', null],
    ['nothing to commit', null],
  ])('is known by what it says: %s', (complaint, path) => expect(lockIn(complaint)).toBe(path))
})
