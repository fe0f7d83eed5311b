import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { setRepository } from './work-tree.ts'

describe('ralph diff', () => {
  it('shows what a run changed, committed and not, new and gone', async () => {
    const stage = setRepository()
    await stage.agent('echo more >> src/a; git commit -qam one; echo x > new; rm src/b; mv c moved')
    const { code, stdout, stderr } = await stage.spawn('diff')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('--- a/src/a\n+++ b/src/a\n@@ -1 +1,2 @@\n one\n+more\n')
    expect(stdout).not.toContain('\x1b')
    expect((await stage.spawn('diff', '--name-only')).stdout).toBe('moved\nnew\nsrc/a\nsrc/b\n')
    expect((await stage.spawn('diff', '--stat')).stdout).toMatch(/src\/a +\| 1 \+\n[\s\S]*4 files changed/)
  })

  it('of what was dirty before shows only what is different since', async () => {
    const stage = setRepository()
    stage.sh('echo mine >> src/a; echo mine >> c; echo mine > untracked; rm src/b; echo same > "odd  name"')
    await stage.agent('echo more >> src/a; echo more >> untracked; echo two > src/b')
    const { stdout } = await stage.spawn('diff')
    expect(stdout).toContain(' one\n mine\n+more\n')
    expect(stdout).toContain(' mine\n+more\n')
    expect((await stage.spawn('diff', '--name-only')).stdout).toBe('src/a\nsrc/b\nuntracked\n')
  })

  it("leaves out ralph's own files, and the user's index as it was", async () => {
    const settings = { scm: { command: 'git', tasks: ['commit'] } }
    const stage = setRepository({ settings })
    stage.sh(
      "printf 'ignored\\n' > .gitignore; git add -A; git commit -qm all; echo x > staged; git add staged",
    )
    const index = stage.git('ls-files', '--stage')
    await stage.agent('if grep -q "commit message"; then echo Add new; else echo x > new; echo hi; fi')
    expect(stage.git('log', '-1', '--format=%s')).toBe('Add new')
    expect((await stage.spawn('diff', '--name-only')).stdout).toBe('new\n')
    expect(stage.git('ls-files', '--stage')).toContain(index.split('\n').at(-1)!)
    expect((await stage.ralph('undo', '--yes')).code).toBe(0)
    expect(stage.git('ls-files', '--stage')).toBe(index)
    // Its sessions stay ignored.
    expect(stage.git('status', '--porcelain')).toBe('A  staged')
  })

  it("leaves out ralph's own files also while they are not committed", async () => {
    const stage = setRepository()
    stage.sh(`printf x > .gitignore; git commit -qam bare
      mkdir .ralph; touch .ralph/.gitignore`)
    await stage.agent('echo x > new; rm .ralph/.gitignore')
    expect(stage.git('status', '--porcelain', '-uall')).toBe('?? new')
    expect((await stage.spawn('diff', '--name-only')).stdout).toBe('new\n')
  })

  it('goes to the end of the run, not further, and says where that cannot be told any more', async () => {
    const stage = setRepository()
    await stage.agent('echo more >> src/a; git commit -qam one; echo x > new; echo y > other')
    stage.sh('echo later >> src/a; echo later > later; echo later >> new; git add -A; git commit -qm later')
    const { stdout, stderr } = await stage.spawn('diff')
    expect(stdout).toMatch(/ one\n\+more\n$/)
    expect(stderr).toBe('ralph: warning: changed since the run ended, so it is shown as it is now: new\n')
    expect((await stage.spawn('diff', '--name-only')).stdout).toBe('new\nother\nsrc/a\n')
  })

  it('of a run that is at work shows what it has changed so far', async () => {
    const stage = setRepository()
    const ralph = stage.start('run', '-p', 'x', '--', 'sh', '-c', 'echo x > new; touch ../up; sleep 20')
    while (!existsSync(join(stage.root, 'up'))) await new Promise(resolve => setTimeout(resolve, 20))
    expect((await stage.spawn('diff', '--name-only')).stdout).toBe('new\n')
    expect((await stage.ralph('report')).stdout).toContain('  result    still at work\n')
    await stage.ralph('cancel')
    await ralph.ended
  })

  it('outside a git repository, and of no run, is one clear line and exit 2', async () => {
    const stage = setRepository()
    expect(await stage.spawn('diff')).toMatchObject({
      code: 2,
      stderr: `ralph: error: no run in ${stage.project}; start one with: ralph run\n`,
    })
    await stage.agent('echo hi')
    stage.sh('rm -rf .git; git init -q')
    expect((await stage.spawn('diff')).stderr).toMatch(
      /^ralph: error: commit \w{10} is not in \S+ any more\n$/,
    )
    stage.sh('rm -rf .git')
    await stage.agent('echo hi')
    expect(await stage.spawn('diff')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^ralph: error: run \S+ was not in a git repository, so it is not known what the files were before it\n$/,
      ),
    })
  })

  it.skipIf(!hasTmux)('has colours and a pager on a terminal', async () => {
    const stage = setRepository()
    await stage.agent('echo more >> src/a')
    const env = { ...stage.env, GIT_PAGER: 'sed s/^/paged:/' }
    const terminal = await openTerminal([process.execPath, RALPH, 'diff'], { cwd: stage.project, env })
    expect((await terminal.ended()).screen).toMatch(/paged:.*\+.*more/)
  })
})
