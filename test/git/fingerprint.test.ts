import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pathsInStatus } from '../../src/git/status.ts'
import { fingerprintOf, readTreeState } from '../../src/git/tree-state.ts'
import { BEGIN, makeRepository } from '../support/repository.ts'
import { scratch } from '../support/scratch.ts'

const env = { PATH: process.env.PATH ?? '', HOME: '/nonexistent' }

async function fingerprint(dir: string, env: Record<string, string>): Promise<string | null> {
  const look = await readTreeState(dir, env)
  return look && fingerprintOf(look)
}

function repository() {
  const dir = scratch()
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      cwd: dir,
      stdio: 'pipe',
    })
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  makeRepository(dir, {
    files: { 'kept.txt': 'kept\n', '.gitignore': 'ignored\n' },
    script: `${BEGIN}; git add -A; git commit -q -m start`,
  })
  return { dir, git, write, print: () => fingerprint(dir, env) }
}

describe('the fingerprint of a tree', () => {
  it.each([
    ['a new file', r => r.write('new.txt', 'x'), true],
    ['a new file with an odd name', r => r.write('ü "odd"\nname.txt', 'x'), true],
    ['a changed file', r => r.write('kept.txt', 'changed\n'), true],
    ['a removed file', r => rmSync(join(r.dir, 'kept.txt')), true],
    ['a renamed file', r => r.git('mv', 'kept.txt', 'moved.txt'), true],
    ['a commit', r => r.git('commit', '-q', '--allow-empty', '-m', 'more'), true],
    ['a file in a new folder', r => r.write('deep/er', 'x'), true],
    ['a touched file', r => utimesSync(join(r.dir, 'kept.txt'), 1, 1), false],
    ['an ignored file', r => r.write('ignored', 'x'), false],
    ["ralph's own files", r => r.write('.ralph/x', 'x'), false],
  ] satisfies [string, (r: ReturnType<typeof repository>) => unknown, boolean][])(
    'with %s: it changes: %3$s',
    async (_, change, changes) => {
      const r = repository()
      const before = await r.print()
      change(r)
      expect((await r.print()) !== before).toBe(changes)
    },
  )

  it('changes when a file that was already dirty changes again, and is the old one when it changes back', async () => {
    const r = repository()
    r.write('kept.txt', 'one\n')
    const one = await r.print()
    r.write('kept.txt', 'two\n')
    expect(await r.print()).not.toBe(one)
    r.write('kept.txt', 'one\n')
    expect(await r.print()).toBe(one)
  })

  it('sees the whole repository from a folder in it', async () => {
    const r = repository()
    mkdirSync(join(r.dir, 'sub'))
    const before = await fingerprint(join(r.dir, 'sub'), env)
    r.write('outside.txt', 'x')
    expect(await fingerprint(join(r.dir, 'sub'), env)).not.toBe(before)
  })

  it('is null where there is no repository, or no git', async () => {
    expect(await fingerprint(scratch(), env)).toBeNull()
    expect(await fingerprint(repository().dir, { PATH: '/nowhere' })).toBeNull()
  })

  it('does not wait at a pipe', async () => {
    const r = repository()
    const before = await r.print()
    rmSync(join(r.dir, 'kept.txt'))
    execFileSync('mkfifo', [join(r.dir, 'kept.txt')])
    expect(await r.print()).not.toBe(before)
  })

  it('survives a path that goes away while it looks', () => {
    const r = repository()
    renameSync(join(r.dir, 'kept.txt'), join(r.dir, 'gone.txt'))
    return expect(r.print()).resolves.toEqual(expect.any(String))
  })
})

it('reads paths from a listing: ordinary, renamed, unmerged, untracked', () => {
  const status = [
    '# branch.oid abc',
    '1 .M N... 100644 100644 100644 a b a file.txt',
    '2 R. N... 100644 100644 100644 a b R100 new name',
    'old name',
    'u UU N... 1 2 3 4 a b c both sides',
    '? not known',
    '',
  ].join('\0')
  expect(pathsInStatus(status)).toEqual(['a file.txt', 'new name', 'old name', 'both sides', 'not known'])
})
