import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DONE, setPrompt } from './hosted-prompt.ts'

const settings = { guardrails: [{ command: 'true' }], scm: { tasks: ['commit'] }, maximumIterations: 2 }
const BRANCH = '$(git symbolic-ref HEAD)'

type Scene = ReturnType<typeof setPrompt>
const warnings = (run: Scene) => run.journal().flatMap(e => (e.type === 'warned' ? [e.note] : []))
const commits = (run: Scene) => run.git('log', '--format=%s').trim().split('\n').slice(0, -1)
const lockFiles = (run: Scene) => run.git('-c', 'alias.l=!find .git -name "*.lock"', 'l').trim()

describe.skipIf(process.platform !== 'linux')('a lock that a killed git of the agent left', () => {
  it.each([
    ['index.lock', '.git/index.lock'],
    ['HEAD.lock', '.git/HEAD.lock'],
    ['the lock of its branch', `.git/${BRANCH}.lock`],
    ['packed-refs.lock', '.git/packed-refs.lock'],
    ['config.lock', '.git/config.lock'],
  ])('is removed and told, and the work is committed: %s', async (_, lock) => {
    const run = setPrompt({ calls: [`echo x > a; : > ${lock}; ${DONE}`], settings })
    expect(await run.host()).toBe(0)
    expect(run.ending()).toMatchObject({ proof: 'verified' })
    expect([commits(run), lockFiles(run)]).toEqual([['Work'], ''])
    expect(warnings(run)).toEqual([
      expect.stringMatching(/^\.git\/\S+\.lock is removed: a git of this run was killed and left it$/),
    ])
  })

  it('is removed after a real kill in the middle of a commit', async () => {
    // Git runs this hook while it holds the locks of HEAD and of the branch.
    const hook = `[ "$1" = prepared ] && kill -9 $PPID; exit 0`
    const kill = `mkdir ../hooks; printf '#!/bin/sh\\n%s\\n' '${hook}' > ../hooks/reference-transaction; chmod +x ../hooks/*`
    const commit = 'git add -A; git -c core.hooksPath=../hooks commit -qm mine'
    const run = setPrompt({
      calls: [`echo x > a; ${kill}; ${commit}; ls .git/*.lock > ../left; ${DONE}`],
      settings,
    })
    expect(await run.host()).toBe(0)
    expect(run.read('../left')).toContain('HEAD.lock')
    expect([run.ending()?.proof, commits(run), lockFiles(run)]).toEqual(['verified', ['Work'], ''])
  })

  it('is removed where ralph commits nothing, too', async () => {
    const run = setPrompt({ calls: [`: > .git/HEAD.lock; ${DONE}`] })
    expect(await run.host()).toBe(0)
    expect([lockFiles(run), warnings(run)]).toEqual(['', [expect.stringContaining('.git/HEAD.lock')]])
  })
})

describe('a lock that may be somebody else’s', () => {
  const told = (lock: string) =>
    `${lock} exists, so git is running or was killed; if no git is running, remove it: rm ${lock}`

  it.each<[string, string, (run: Scene) => void, string]>([
    ['is older than the run', '.git/HEAD.lock', run => run.write('.git/HEAD.lock', ''), 'true'],
    ['was moved there', '.git/index.lock', run => run.write('../old', ''), 'mv ../old .git/index.lock'],
    ['is no file', '.git/index.lock', () => {}, 'mkdir -p .git/index.lock'],
    ['is the lock of the packed refs', '.git/packed-refs.lock', () => {}, 'mkdir -p .git/packed-refs.lock'],
  ])('stays and is a red finding that the agent is told of: one that %s', async (_, lock, prepare, act) => {
    const run = setPrompt({ calls: [`echo x > a; ${act}; ${DONE}`, DONE], settings })
    prepare(run)
    expect(await run.host()).toBe(1)
    expect(run.settled().map(({ move }) => move)).toEqual(['fail', 'fail'])
    expect(run.read('../prompt')).toContain(told(lock))
    expect([commits(run), lockFiles(run)]).toEqual([[], lock])
  })

  it('is gone once the agent removes it, and then the work is committed', async () => {
    const run = setPrompt({
      calls: [`echo x > a; mkdir .git/HEAD.lock; ${DONE}`, `rmdir .git/HEAD.lock; ${DONE}`],
      settings,
    })
    expect(await run.host()).toBe(0)
    expect([run.ending()?.proof, commits(run)]).toEqual(['verified', ['Work']])
  })
})

describe('locks that come and go', () => {
  it('make no check red and lose no commit', async () => {
    const count = 12
    const run = setPrompt({
      calls: [
        ...Array.from({ length: count - 1 }, (_, i) => `echo ${i} > a; echo more`),
        `echo last > a; ${DONE}`,
      ],
      settings: { ...settings, maximumIterations: count },
    })
    const flicker = `const fs = require('fs'); const names = ['index.lock', 'HEAD.lock']
      const turn = n => { const path = '.git/' + names[n % 2]
        try { fs.writeFileSync(path, '', { flag: 'wx' }); setTimeout(() => fs.rmSync(path), 15) } catch {}
        setTimeout(turn, 40, n + 1) }
      turn(0)`
    const other = spawn(process.execPath, ['-e', flicker], { cwd: run.project, stdio: 'ignore' })
    onTestFinished(() => void other.kill())
    expect(await run.host()).toBe(0)
    expect(
      run
        .settled()
        .flatMap(e => e.findings)
        .filter(f => f.verdict !== 'pass'),
    ).toEqual([])
    expect(commits(run)).toHaveLength(count)
    expect(warnings(run)).toEqual([])
  })
})

describe('a commit that was asked for and is not made', () => {
  const failing = (passes: string) => (run: Scene) => {
    mkdirSync(join(run.project, '.git/hooks'), { recursive: true })
    run.write('.git/hooks/pre-commit', `#!/bin/sh\n${passes} || { echo no good; exit 1; }\n`)
    run.git('-c', 'alias.x=!chmod +x .git/hooks/pre-commit', 'x')
  }

  it('leaves the run unverified, and the run says why', async () => {
    const run = setPrompt({ calls: [`echo x > a; ${DONE}`], settings })
    failing('false')(run)
    await run.host()
    expect(run.ending()).toMatchObject({
      proof: 'claimed',
      why: expect.stringMatching(/^commit: git commit failed with exit code 1: no good/),
    })
  })

  it.each([
    ['ralph commits it later', 'echo y > b'],
    ['the agent commits it', 'git add -A; git -c core.hooksPath=/dev/null commit -qm mine'],
  ])('is no matter any more once %s; every prompt says so until then', async (_, later) => {
    const run = setPrompt({ calls: ['echo x > a; echo more', `${later}; touch ../ok; ${DONE}`], settings })
    failing('test -e ../ok')(run)
    expect(await run.host()).toBe(0)
    expect(run.read('../prompt')).toContain('the work does not count as verified: git commit failed')
    expect([run.ending()?.proof, run.git('status', '--porcelain')]).toEqual(['verified', ''])
  })
})
