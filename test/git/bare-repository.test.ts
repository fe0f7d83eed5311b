import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { changesSince } from '../../src/git/changes.ts'
import { git } from '../../src/git/git.ts'
import { recordStart } from '../../src/git/start.ts'
import { scratch } from '../support/scratch.ts'

/** A clone that holds a folder which looks like a bare repository, with a configuration that came with it. */
function lay() {
  const base = scratch('ralph-bare-')
  const env = { PATH: process.env.PATH!, HOME: base, GIT_CONFIG_NOSYSTEM: '1' }
  const evil = join(base, 'clone/docs')
  const sh = (text: string) => execFileSync('sh', ['-ec', text], { cwd: base, env, stdio: 'pipe' })
  sh(`git init -q clone; git init -q --bare clone/docs; mkdir -p clone/docs/wt/deep
    printf '* filter=x diff=x\\n' > clone/docs/wt/.gitattributes; echo a > clone/docs/wt/a.txt; echo b > clone/docs/wt/deep/b
    cd clone/docs; export GIT_DIR=. GIT_WORK_TREE=wt
    git -c user.name=a -c user.email=a@b add -A; git -c user.name=a -c user.email=a@b commit -qm x`)
  const run = `touch ${join(base, 'RAN')}; cat`
  writeFileSync(
    join(evil, 'config'),
    `[core]\n\tbare = false\n\tworktree = wt\n\tfsmonitor = "${run}"\n\thooksPath = ${evil}/wt\n[filter "x"]\n\tclean = "${run}"\n\tsmudge = "${run}"\n\tprocess = "${run}"\n[diff "x"]\n\ttextconv = "${run}"\n[alias]\n\tx = "!${run}"\n`,
  )
  writeFileSync(join(evil, 'wt/a.txt'), 'changed\n')
  writeFileSync(join(evil, 'wt/deep/b'), 'changed\n')
  return { base, env, evil }
}

it.each(['', 'objects', 'refs/heads', 'wt', 'wt/deep'])(
  'a folder that looks like a bare repository is none, also in its %s: nothing of it runs',
  async folder => {
    const { base, env, evil } = lay()
    const cwd = join(evil, folder)
    expect(await recordStart(cwd, env)).toBeNull()
    for (const args of [
      ['status'],
      ['diff'],
      ['add', '-A'],
      ['diff', '--cached'],
      ['x'],
      ['commit', '-qm', 'x'],
    ])
      expect([args[0], await git(cwd, env, args)]).toEqual([args[0], null])
    expect(existsSync(join(base, 'RAN'))).toBe(false)
  },
)

it('no git is started there, because an old one would take it for a repository', async () => {
  const { base, env, evil } = lay()
  mkdirSync(join(base, 'bin'))
  writeFileSync(join(base, 'bin/git'), `#!/bin/sh\n: > ${join(base, 'RAN')}\n`, { mode: 0o755 })
  for (const folder of ['', 'wt/deep'])
    expect(await recordStart(join(evil, folder), { ...env, PATH: join(base, 'bin') })).toBeNull()
  expect(existsSync(join(base, 'RAN'))).toBe(false)
})

it('a new repository in the work tree is named, and not among what may be committed', async () => {
  const root = scratch('ralph-inner-')
  const env = { PATH: process.env.PATH!, HOME: root }
  const sh = (text: string) => execFileSync('sh', ['-ec', text], { cwd: root, env, stdio: 'pipe' })
  const init = (path: string) =>
    `git init -q ${path}; git -C ${path} -c user.name=a -c user.email=a@b commit -q --allow-empty -m x`
  sh(`git init -q; ${init('old')}`)
  const start = await recordStart(root, env)
  sh(`${init('new')}; echo 1 > a`)
  expect(await changesSince(start!, env)).toMatchObject({ ours: ['a'], mixed: [], repositories: ['new/'] })
})
