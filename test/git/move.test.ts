import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type MoveOptions, moveBranch } from '../../src/git/branches/move.ts'
import type { LockWait } from '../../src/git/locks/lasting.ts'
import { BEGIN, makeRepository } from '../support/repository.ts'
import { scratch } from '../support/scratch.ts'

const LONG = 'a line that is long enough to be cut in the middle: ümläut\n'.repeat(40)

/** `from`, on the branch main, and a later commit `to`, which changes, adds, removes and relinks files. */
function setBranch() {
  const root = scratch('ralph-move-')
  makeRepository(root, {
    files: { 'changed.txt': 'before\n', 'gone.txt': 'gone\n', 'mine.txt': 'mine\n', '.gitignore': 'out/\n' },
    script: `${BEGIN}
      ln -s before link; git add -A; git commit -qm from
      git switch -qc work; printf '${LONG.replaceAll('\n', '\\n')}' > changed.txt; printf '${LONG.replaceAll('\n', '\\n')}' > new.txt
      rm gone.txt; ln -sfn after link; mkdir sub; echo sub > sub/new.txt; git add -A; git commit -qm to
      git switch -q main`,
  })
  const env = { PATH: process.env.PATH!, HOME: root }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env, encoding: 'utf8' }).trimEnd()
  const [from, to] = [git('rev-parse', 'main'), git('rev-parse', 'work')]
  const dirs = { own: join(root, '.git'), common: join(root, '.git') }
  const move = (options: Partial<MoveOptions> = {}) =>
    moveBranch(
      { root, dirs, branch: 'main', env },
      { from, to, isForward: true, isRepeated: false, wait: {}, ...options },
    )
  const at = (name: string) => join(root, name)
  return { root, git, move, at, from, to }
}

function relink(path: string): void {
  rmSync(path)
  symlinkSync('mine', path)
}

function replace(path: string): void {
  rmSync(path)
  mkdirSync(path)
}

const WAYS = [
  ['forward', true],
  ['with reset', false],
] as const

describe.each(WAYS)('a branch that is moved %s', (_, isForward) => {
  it('takes its files with it, and may be moved again', async () => {
    const { git, move, to, at } = setBranch()
    writeFileSync(at('mine.txt'), 'not committed\n')
    for (const isRepeated of [false, true]) {
      expect(await move({ isForward, isRepeated })).toEqual({ type: 'moved' })
      expect([git('rev-parse', 'main'), git('status', '--porcelain')]).toEqual([to, ' M mine.txt'])
    }
    expect(readFileSync(at('mine.txt'), 'utf8')).toBe('not committed\n')
  })

  it('is moved after a crash that left files half-written, and the index as it was or ahead', async () => {
    for (const hasIndex of [false, true]) {
      const { root, git, move, to, at } = setBranch()
      if (hasIndex) git('read-tree', to)
      // In the middle of a character.
      const half = Buffer.from(LONG).subarray(0, LONG.indexOf('ü') + 1)
      for (const name of ['changed.txt', 'new.txt']) writeFileSync(at(name), half)
      for (const name of ['gone.txt', 'link']) rmSync(at(name))
      symlinkSync('after', at('link'))
      writeFileSync(join(root, '.git', 'index.lock'), '')
      const removed: string[] = []
      const wait: LockWait = {
        removal: { since: 0, watchOwners: () => () => false, onRemoved: path => removed.push(path) },
        waits: { alone: 0, owned: 0 },
      }
      expect(await move({ isForward, isRepeated: true, wait })).toEqual({ type: 'moved' })
      expect(removed).toEqual([join(root, '.git', 'index.lock')])
      expect([git('rev-parse', 'main'), git('status', '--porcelain')]).toEqual([to, ''])
      expect([readFileSync(at('new.txt'), 'utf8'), readlinkSync(at('link'))]).toEqual([LONG, 'after'])
    }
  })

  it.each([
    ['changed', 'changed.txt', (path: string) => writeFileSync(path, 'before, and more\n')],
    ['removed', 'changed.txt', (path: string) => rmSync(path)],
    ['made, unknown to git', 'new.txt', (path: string) => writeFileSync(path, 'mine\n')],
    ['linked elsewhere', 'link', (path: string) => relink(path)],
    ['replaced by a folder', 'gone.txt', (path: string) => replace(path)],
  ])('leaves a file that somebody %s, and names it', async (_, name, act) => {
    const { git, move, from, at } = setBranch()
    act(at(name))
    const before = git('status', '--porcelain')
    expect(await move({ isForward })).toEqual({ type: 'overlap', paths: [name] })
    expect([git('rev-parse', 'main'), git('status', '--porcelain')]).toEqual([from, before])
  })

  it('leaves a file of somebody’s also after a crash', async () => {
    const { git, move, from, at } = setBranch()
    writeFileSync(at('changed.txt'), 'before, and more\n')
    writeFileSync(at('new.txt'), LONG)
    expect(await move({ isForward, isRepeated: true })).toEqual({ type: 'overlap', paths: ['changed.txt'] })
    expect(git('rev-parse', 'main')).toBe(from)
    expect([readFileSync(at('changed.txt'), 'utf8'), existsSync(at('new.txt'))]).toEqual([
      'before, and more\n',
      false,
    ])
  })
})

describe('a branch', () => {
  it('that went elsewhere meanwhile is left there', async () => {
    const { git, move } = setBranch()
    git('commit', '-q', '--allow-empty', '-m', 'mine')
    const mine = git('rev-parse', 'main')
    expect(await move()).toEqual({ type: 'elsewhere' })
    expect(git('rev-parse', 'main')).toBe(mine)
  })

  it('that is not checked out here is moved without touching a file; one checked out elsewhere is not', async () => {
    const { git, move, root, to } = setBranch()
    git('switch', '-q', '--detach')
    git('worktree', 'add', '-q', `${root}-other`, 'main')
    expect(await move()).toMatchObject({ type: 'failed', why: expect.stringContaining('is checked out in') })
    git('worktree', 'remove', `${root}-other`)
    expect(await move()).toEqual({ type: 'moved' })
    expect([git('rev-parse', 'main'), git('status', '--porcelain')]).toEqual([to, ''])
  })
})
