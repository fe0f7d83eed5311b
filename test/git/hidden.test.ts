import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changesSince } from '../../src/git/changes.ts'
import { recordEnd } from '../../src/git/end-snapshot.ts'
import { keepDirty } from '../../src/git/kept-files.ts'
import { recordStart } from '../../src/git/start.ts'
import { changedBetween, fingerprintOf, readTreeState } from '../../src/git/tree-state.ts'
import { openScratch } from '../../src/git/trees.ts'
import { save, undo } from '../../src/git/undo.ts'
import { planUndo } from '../../src/git/undo-plan.ts'
import { pinFolder } from '../../src/store/files/pinned.ts'
import { setRepository } from '../cli/work-tree.ts'

async function setScene(prepare = 'true') {
  const stage = setRepository()
  const env = { ...stage.env, LANG: 'C.UTF-8' }
  stage.sh(prepare)
  const before = { state: stage.state(), flags: stage.git('ls-files', '-v') }
  const start = (await recordStart(stage.project, env))!
  const runDir = join(stage.root, 'run')
  mkdirSync(runDir)
  expect(keepDirty(start, runDir)).toEqual([])
  const look = async () => (await readTreeState(stage.project, env, start))!
  const takeBack = async () => {
    const scratch = openScratch(start, runDir, env)
    const left = await recordEnd(start, env)
    const root = pinFolder(start.root)
    const undoing = { start, root, runDir, left, isBegun: false, force: false, env, scratch }
    const plan = await planUndo(undoing)
    const saved = await save(undoing, plan, 'r1')
    await undo(undoing, plan, 'r1')
    scratch.close()
    return { plan, saved }
  }
  return { stage, env, start, before, look, takeBack }
}

const FLAGS = ['--assume-unchanged', '--skip-worktree', '--assume-unchanged --skip-worktree']
const CHANGES: [string, string][] = [
  ['changed', 'echo evil >> src/a'],
  ['removed', 'rm src/a'],
  ['made executable', 'chmod +x src/a'],
  ['a link', 'ln -sf ../c src/a'],
  ['a folder', 'rm src/a; mkdir src/a; touch src/a/x'],
]
const flag = (flags: string, path: string) =>
  flags
    .split(' ')
    .map(one => `git update-index ${one} ${path}`)
    .join('; ')

describe.each(FLAGS)('a file that an agent hides from git by %s', flags => {
  it.each(CHANGES)('and that is %s then is seen, counts as a change, and is put back', async (_, script) => {
    const { stage, env, start, before, look, takeBack } = await setScene()
    const first = await look()
    stage.sh(`${flag(flags, 'src/a')}; ${script}`)
    expect(stage.git('status', '--porcelain', 'src/a')).toBe('')
    const then = await look()
    expect(fingerprintOf(then)).not.toBe(fingerprintOf(first))
    expect(await changedBetween(first, then, env)).toContain('src/a')
    expect(Object.keys((await recordEnd(start, env))!.dirty)).toContain('src/a')
    expect((await changesSince(start, env))!.ours).toContain('src/a')
    const { saved } = await takeBack()
    expect(stage.state()).toEqual(before.state)
    expect(stage.git('ls-files', '-v')).toBe(before.flags)
    if (script.startsWith('echo')) expect(stage.git('show', `${saved}:src/a`)).toBe('one\nevil')
  })
})

it('a file that an agent hides in a commit of its own, behind a link, is not removed there', async () => {
  const { stage, before, takeBack } = await setScene()
  const victim = join(stage.root, 'victim')
  mkdirSync(victim)
  writeFileSync(join(victim, 'file'), 'mine\n')
  stage.sh(`mkdir d; echo x > d/file; git add d; git commit -qm d; git update-index --skip-worktree d/file
    rm -r d; ln -s ${victim} d; echo /d >> .git/info/exclude`)
  await takeBack()
  expect(readFileSync(join(victim, 'file'), 'utf8')).toBe('mine\n')
  expect(stage.git('ls-files', '-v')).toBe(before.flags)
  expect(stage.git('rev-parse', 'main')).toBe(before.state.refs.split(' ')[0])
})

describe('a file that the user hid from git before the run', () => {
  it('is the user’s as it is: it comes back byte for byte, and stays hidden', async () => {
    const hide = 'echo local >> src/a; git update-index --skip-worktree src/a'
    const { stage, env, start, before, takeBack } = await setScene(hide)
    expect(Object.keys(start.dirty)).toEqual(['src/a'])
    stage.sh('echo agent > src/a; git update-index --no-skip-worktree src/a; git commit -qam all')
    expect((await changesSince(start, env))!.ours).toEqual([])
    await takeBack()
    expect(stage.state()).toEqual(before.state)
    expect(stage.git('ls-files', '-v')).toBe(before.flags)
  })

  it('without a change of theirs is not committed', async () => {
    const { stage, env, start } = await setScene('git update-index --assume-unchanged src/a')
    expect(start.dirty).toEqual({})
    stage.sh('echo agent > src/a; echo agent > c')
    expect(await changesSince(start, env)).toMatchObject({ ours: ['c'], flagged: ['src/a'] })
  })
})

describe('a sparse checkout', () => {
  const SPARSE = `mkdir -p docs/deep; echo d > docs/deep/d; echo e > docs/e; git add -A; git commit -qm docs
    git sparse-checkout set --no-cone '/*' '!/docs/' '!/c'`

  it('lacks nothing: what it left out is no deletion, now and after a commit there', async () => {
    const { stage, start, before, look, takeBack } = await setScene(SPARSE)
    expect([start.dirty, start.sparse]).toEqual([{}, ['c', 'docs/']])
    expect([...(await look()).contents]).toEqual([])
    stage.sh('echo more >> src/a; git commit -qam more; echo x > new')
    await takeBack()
    expect(stage.state()).toEqual(before.state)
    expect(stage.git('ls-files', '-v')).toBe(before.flags)
  })

  it('hides no deletion of what was there', async () => {
    const { stage, before, look, takeBack } = await setScene(SPARSE)
    stage.sh('git update-index --skip-worktree src/b; rm src/b')
    expect([...(await look()).contents]).toEqual([['src/b', 'absent']])
    await takeBack()
    expect(stage.state()).toEqual(before.state)
  })

  it('stays one after an undo of commits to what it left out', async () => {
    const { stage, before, takeBack } = await setScene(SPARSE)
    stage.sh(`git sparse-checkout disable; echo x >> docs/e; rm -r docs/deep; git commit -qam docs
      git sparse-checkout set --no-cone '/*' '!/docs/' '!/c'`)
    await takeBack()
    expect(existsSync(join(stage.project, 'docs'))).toBe(false)
    expect(stage.state()).toEqual(before.state)
    expect(stage.git('ls-files', '-v')).toBe(before.flags)
  })
})

it('costs one call of git as long as the index has not changed', async () => {
  const { stage, env, start } = await setScene()
  const log = join(stage.root, 'git.log')
  const bin = join(stage.root, 'counting')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\necho "$*" >> ${log}\nexec ${stage.sh('command -v git').trim()} "$@"\n`,
  )
  chmodSync(join(bin, 'git'), 0o755)
  const counted = { ...env, PATH: `${bin}:${env.PATH}` }
  const calls = async (script: string) => {
    stage.sh(script)
    writeFileSync(log, '')
    await readTreeState(stage.project, counted, start)
    return readFileSync(log, 'utf8').trim().split('\n').length
  }
  expect(await calls('true')).toBe(1)
  expect(await calls('echo x >> src/a; touch new')).toBe(1)
  expect(await calls('git add -A')).toBe(2)
  expect(await calls('echo y >> src/a')).toBe(1)
})

it('what an undo overwrites is kept, also where git was made to ignore it, or had other content staged', async () => {
  const { stage, takeBack, before } = await setScene()
  stage.sh(`git rm -q --cached src/a; echo src/a >> .gitignore; git commit -qam away; echo precious > src/a
    echo staged > c; git add c; echo worked > c; ln -sf elsewhere link`)
  const { saved } = await takeBack()
  expect(stage.state()).toEqual(before.state)
  expect(stage.git('show', `${saved}:src/a`)).toBe('precious')
  expect(stage.git('show', `${saved}:c`)).toBe('worked')
  expect(stage.git('show', `${saved}^2:c`)).toBe('staged')
  expect(stage.git('show', `${saved}:link`)).toBe('elsewhere')
})
