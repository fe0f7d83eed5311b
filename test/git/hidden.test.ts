import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changesSince } from '../../src/git/changes.ts'
import { recordEnd } from '../../src/git/end-snapshot.ts'
import { changedBetween, fingerprintOf, readTreeState } from '../../src/git/tree-state.ts'
import type { setRepository } from '../cli/work-tree.ts'
import { setStart } from './undo-scene.ts'

async function setScene(prepare = 'true') {
  const scene = await setStart(prepare)
  const { stage, env, start, found } = scene
  const before = { state: found, flags: stage.git('ls-files', '-v') }
  return { ...scene, before, look: async () => (await readTreeState(stage.project, env, start))! }
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

/** Makes the index say that a file is unchanged, with its time and size: a filter gives git other content than there is. */
const forge = (path: string, original: string) => `touch -d '10 seconds ago' ${path} 2> /dev/null || true
  echo '${path} filter=x' > ../attributes
  git -c core.attributesFile="$PWD/../attributes" -c filter.x.clean='${original}' add ${path}`
const FORGED: [string, string][] = [
  ['after it changed', `echo evil > src/a; ${forge('src/a', 'echo one')}`],
  [
    'in a commit of its own',
    `echo good > src/a; git commit -qam good; echo evil > src/a; ${forge('src/a', 'echo good')}`,
  ],
  ['in version 4', `git update-index --index-version 4; echo evil > src/a; ${forge('src/a', 'echo one')}`],
  ['in two files', `echo evil > src/a; ${forge('src/a', 'echo one')}; git update-index --split-index`],
  [
    'and flags',
    `echo evil > src/a; ${forge('src/a', 'echo one')}; git update-index --assume-unchanged src/a`,
  ],
]

it.each(FORGED)('a file that an agent hides by a forged index %s is seen and put back', async (_, script) => {
  const { stage, env, start, before, look, takeBack } = await setScene()
  const first = await look()
  stage.sh(script)
  expect(stage.git('diff', 'HEAD', '--stat', '--', 'src/a')).toBe('')
  const then = await look()
  expect(await changedBetween(first, then, env)).toContain('src/a')
  expect((await changesSince(start, env))!.ours).toContain('src/a')
  expect((await look()).contents.has('src/a')).toBe(true)
  const { saved } = await takeBack()
  expect(stage.state()).toEqual(before.state)
  expect(stage.git('show', `${saved}:src/a`)).toBe('evil')
})

it('a file that a filter of the repository converts is no change, and git is asked about it once', async () => {
  const { stage, start, look } = await setScene(
    `echo '*.txt eol=crlf' > .gitattributes; git add -A; git commit -qm crlf`,
  )
  stage.sh(`printf 'x\r\n' > new.txt; touch -d '10 seconds ago' new.txt; git add -A; git commit -qm new`)
  expect([...(await look()).contents]).toEqual([])
  expect(await countingGit(stage)(env => readTreeState(stage.project, env, start))).toBe(1)
})

const TREE = `echo evil > src/a; git add -A; tree=$(git write-tree); git reset -q`
const REPLACED: [string, string][] = [
  ['a commit', `${TREE}; git replace HEAD $(git commit-tree -m x $tree)`],
  ['a tree', `${TREE}; git replace HEAD^{tree} $tree`],
  ['a file', 'echo evil > src/a; git replace HEAD:src/a $(git hash-object -w src/a)'],
  [
    'a file, packed',
    'echo evil > src/a; git replace HEAD:src/a $(git hash-object -w src/a); git pack-refs --all',
  ],
]

it.each(REPLACED)(
  'a change that an agent hides by git replace with %s is seen and put back',
  async (_, script) => {
    const { stage, env, start, before, look, takeBack } = await setScene()
    const first = await look()
    stage.sh(script)
    expect(stage.git('diff', 'HEAD', '--stat')).toBe('')
    expect(await changedBetween(first, await look(), env)).toEqual(['src/a'])
    expect((await changesSince(start, env))!.ours).toEqual(['src/a'])
    await takeBack()
    stage.sh('git replace -d $(git replace -l)')
    expect(stage.state()).toEqual(before.state)
  },
)

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

/** Git that counts how often it is called, and the environment to use it. */
function countingGit({ root, sh, env }: ReturnType<typeof setRepository>) {
  const log = join(root, 'git.log')
  const bin = join(root, 'counting')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\necho "$*" >> ${log}\nexec ${sh('command -v git').trim()} "$@"\n`,
  )
  chmodSync(join(bin, 'git'), 0o755)
  const counted = { ...env, LANG: 'C.UTF-8', PATH: `${bin}:${env.PATH}` }
  return async (act: (env: Record<string, string>) => Promise<unknown>) => {
    writeFileSync(log, '')
    await act(counted)
    return readFileSync(log, 'utf8').trim().split('\n').length
  }
}

it('costs one call of git as long as the index has not changed', async () => {
  const { stage, start } = await setScene()
  const count = countingGit(stage)
  const calls = (script: string) => {
    stage.sh(script)
    return count(counted => readTreeState(stage.project, counted, start))
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
