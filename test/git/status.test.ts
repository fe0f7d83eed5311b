import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readStatus, stagedEntries } from '../../src/git/status.ts'
import { readBase } from '../../src/workflows/spec.ts'
import { scratch } from '../support/scratch.ts'

const PATH = process.env.PATH ?? ''

/** A folder, and one in it that is a repository with a commit. */
function setScene() {
  const root = scratch()
  const repo = join(root, 'repo')
  mkdirSync(join(repo, 'inner'), { recursive: true })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: repo })
  git('init', '-q')
  git('commit', '-q', '--allow-empty', '-m', 'first')
  return { root, repo, git, env: { PATH, HOME: root } }
}

describe('the state of a project', () => {
  it.each([
    ['from its top', ({ repo }: { repo: string }) => repo],
    ['from a folder in it', ({ repo }: { repo: string }) => join(repo, 'inner')],
    [
      'by way of a link into it',
      ({ root, repo }: { root: string; repo: string }) => {
        symlinkSync(join(repo, 'inner'), join(root, 'link'))
        return join(root, 'link')
      },
    ],
  ])('%s', async (_, folderOf) => {
    const scene = setScene()
    expect(await readStatus(folderOf(scene), scene.env)).toMatchObject({ root: scene.repo, paths: [] })
  })

  it('in a linked working tree', async () => {
    const { root, env, git } = setScene()
    git('worktree', 'add', '-q', join(root, 'tree'))
    expect(await readStatus(join(root, 'tree'), env)).toMatchObject({ root: join(root, 'tree') })
  })

  it('where only the environment names the repository', async () => {
    const { root, repo, env } = setScene()
    const elsewhere = join(root, 'elsewhere')
    mkdirSync(elsewhere)
    const named = { ...env, GIT_DIR: join(repo, '.git'), GIT_WORK_TREE: elsewhere }
    expect(await readStatus(elsewhere, named)).toMatchObject({ root: elsewhere })
  })

  it('outside of any repository without asking git', async () => {
    const { root } = setScene()
    const bin = join(root, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'git'), `#!/bin/sh\n: >"${root}/asked"\n`)
    chmodSync(join(bin, 'git'), 0o755)
    expect(await readStatus(root, { PATH: `${bin}:${PATH}` })).toBe(null)
    expect(existsSync(join(root, 'asked'))).toBe(false)
  })
})

describe('a file with a name that objects have', () => {
  const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']

  it('is staged like any other, removed and renamed ones too', () => {
    const added = NAMES.map(name => `1 A. N... 000000 100644 100644 0000 abc ${name}`)
    expect(Object.keys(stagedEntries(added.join('\0')))).toEqual(NAMES)
    const renamed = stagedEntries('2 R. N... 100644 100644 100644 abc abc R100 new\0__proto__')
    expect(Object.entries(renamed)).toEqual([
      ['new', { mode: '100644', object: 'abc' }],
      ['__proto__', { mode: '0', object: 'abc' }],
    ])
  })

  it('is pinned with the start of a run, and read back', () => {
    const dirty = Object.fromEntries(NAMES.map(name => [name, 'absent']))
    const staged = Object.fromEntries(NAMES.map(name => [name, { mode: '0', object: 'abc' }]))
    const start = {
      root: '/p',
      head: null,
      branch: null,
      dirty,
      staged,
      ...{ ignored: [], flagged: {}, sparse: [], at: 0, ids: { root: '', own: '', common: '' } },
      hooks: '',
      dirs: { own: '', common: '' },
    }
    const agent = { argv: [], explicit: true, model: null }
    const pins = { workflow: 'w', project: '/p', settings: {}, agent, once: false, start }
    const read = readBase(JSON.parse(JSON.stringify(pins))).start!
    expect([Object.keys(read.dirty), Object.keys(read.staged)]).toEqual([NAMES, NAMES])
    const invalid = { ...pins, start: { ...start, dirty: { a: 1 } } }
    expect(() => readBase(invalid)).toThrow('pins.start.dirty')
  })
})
