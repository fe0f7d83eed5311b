import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { refusal } from './scene.ts'
import { setRepository } from './work-tree.ts'

const idOf = (stage: { runs(): string[] }) => stage.runs()[0]!.split('/').at(-1)!

describe('ralph undo', () => {
  it('puts everything back: files, commits, and what was dirty, staged and new before', async () => {
    const stage = setRepository()
    stage.sh('echo mine >> src/a; echo staged > staged; git add staged; rm c; echo x > new')
    const before = stage.state()
    await stage.agent('echo more >> src/a; git add -A; git commit -qm one; rm new staged; echo y > other')
    const { code, stdout, stderr } = await stage.ralph('undo', '--yes')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(
      /^undo of run .*\n {2}commit {4}main back to [0-9a-f]{10}\n {2}remove {4}1 file: other\n/,
    )
    expect(stage.state()).toEqual(before)
  })

  it('goes back to before the first commit', async () => {
    const stage = setRepository({ commit: false })
    stage.sh('echo mine > mine; printf .ralph/ > .gitignore')
    await stage.agent('echo x > new; git add -A; git commit -qm first')
    const { stdout } = await stage.ralph('undo', '--yes')
    expect(existsSync(join(stage.project, 'new'))).toBe(false)
    expect(stage.git('status', '--porcelain', '--branch')).toBe(
      '## No commits yet on main\n?? .gitignore\n?? mine',
    )
    stage.sh(stdout.split('brings it back:\n')[1]!)
    expect(stage.git('log', '--format=%s')).toBe('first')
    expect(stage.git('status', '--porcelain')).toBe('')
  })

  it('stays on the branch that the run was given, and puts it back', async () => {
    const stage = setRepository()
    const start = stage.git('rev-parse', 'HEAD')
    await stage.agent('echo x > new; git add -A; git commit -qm one', '--branch', 'ralph/x')
    await stage.ralph('undo', '--yes')
    expect(stage.git('branch', '--show-current')).toBe('ralph/x')
    expect([stage.git('rev-parse', 'HEAD'), stage.git('rev-parse', 'main')]).toEqual([start, start])
  })

  it('is done once: then there is nothing to undo, whatever was changed since', async () => {
    const stage = setRepository()
    await stage.agent('echo x > new')
    await stage.ralph('undo', '--yes')
    stage.write('later', 'mine')
    const again = await stage.ralph('undo', '--yes')
    expect([again.code, again.stdout]).toEqual([
      0,
      `nothing to undo: run ${idOf(stage)} was already undone\n`,
    ])
    expect(stage.read('later')).toBe('mine')
    expect((await stage.ralph('report')).stdout).toContain('undone')
  })

  it('is not resumed afterwards: what it counts as done is gone', async () => {
    const stage = setRepository()
    await stage.agent('echo x > new', '-m', '1')
    await stage.ralph('undo', '--yes')
    const byId = await stage.ralph('resume', idOf(stage), '-m', '5')
    expect([byId.code, byId.stderr]).toEqual([
      2,
      `ralph: error: run ${idOf(stage)} was undone, so what it counts as done is not there; start a new run\n`,
    ])
    expect(await stage.ralph('resume', '-m', '5')).toMatchObject(refusal('no unfinished run'))
    expect(stage.journal().at(-1)).toMatchObject({ type: 'undone' })
  })

  it('leaves alone what was changed after the run, where the run had not touched it', async () => {
    const stage = setRepository()
    stage.write('notes', 'before')
    await stage.agent('echo more >> src/a')
    stage.write('c', 'later')
    stage.write('notes', 'later')
    stage.write('fresh', 'later')
    const { stdout } = await stage.ralph('undo', '--yes')
    expect(stdout).toContain('  put back  1 file: src/a\n')
    expect(stdout).toContain(
      '  stays     3 files: notes, c, fresh (yours: changed after the run, not by it)\n',
    )
    expect([stage.read('src/a'), stage.read('c'), stage.read('notes'), stage.read('fresh')]).toEqual([
      'one\n',
      'later',
      'later',
      'later',
    ])
  })

  it.each([
    [
      'changed what the run had changed',
      'echo mine >> src/a',
      'changed by the run, and again since it ended: src/a',
    ],
    ['committed', 'git commit -qam mine', 'there are commits that the run did not make: it left main at'],
    [
      'went to another branch',
      'git switch -qc elsewhere',
      'the run left you on main, and now it is elsewhere',
    ],
    ['began a merge', 'touch .git/MERGE_HEAD', 'a merge is in progress; finish or undo that first'],
    ['put ignored files in the way', 'echo mine > new/ignored', null],
    [
      'put an ignored file where a folder was',
      'rm -r gone; echo gone >> .git/info/exclude; echo mine > gone',
      null,
    ],
  ])('does nothing where the user %s', async (_, script, words) => {
    const stage = setRepository()
    stage.sh('echo file > new; mkdir gone; echo x > gone/x; git add -A; git commit -qm more')
    await stage.agent('echo more >> src/a; rm -r new gone/x; mkdir new gone; echo x > new/file; touch gone/y')
    stage.sh(script)
    const before = stage.state()
    const undone = await stage.ralph('undo', '--yes')
    expect([undone.code, undone.stdout]).toEqual([2, ''])
    expect(undone.stderr).toMatch(/^ralph: error: [^\n]+\n$/)
    expect(undone.stderr).toContain(words ?? "is not the run's to remove; move it away first")
    expect(stage.state()).toEqual(before)
  })

  it('does not mind what the user has taken back already', async () => {
    const stage = setRepository()
    const before = stage.state()
    await stage.agent('echo more >> src/a; echo x > new; echo y > other')
    stage.sh('rm new; git checkout -q src/a')
    const { code, stdout } = await stage.ralph('undo', '--yes')
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\n {2}remove {4}1 file: other\nundone/)])
    expect(stage.state()).toEqual(before)
  })

  it('with --force also takes what was changed after the run, and keeps it', async () => {
    const stage = setRepository()
    await stage.agent('echo more >> src/a')
    stage.sh('echo mine >> src/a')
    expect((await stage.ralph('undo', '--yes', '--force')).code).toBe(0)
    expect(stage.read('src/a')).toBe('one\n')
    expect(stage.git('show', `refs/ralph/${idOf(stage)}/1:src/a`)).toBe('one\nmore\nmine')
  })

  it('after a crash in the middle is done to the end by the next', async () => {
    const stage = setRepository()
    stage.sh('echo mine >> c')
    const before = stage.state()
    await stage.agent('echo more >> src/a; echo x > new; rm c; git add -A; git commit -qm one')
    // As if it had come as far as the files: its note stands, and HEAD is where the run left it.
    writeFileSync(join(stage.runs()[0]!, 'undo.json'), '{}')
    stage.sh('rm new; echo one > src/a')
    expect((await stage.ralph('undo', '--yes')).code).toBe(0)
    expect(stage.state()).toEqual(before)
    expect(existsSync(join(stage.runs()[0]!, 'undo.json'))).toBe(false)
  })

  it.each([
    'commit-tree',
    'update-ref refs/ralph',
    'checkout-index',
    'update-ref -m',
    'read-tree --reset',
    'index-info',
  ])('killed at %s leaves a state from which the next gets to the end', async place => {
    const stage = setRepository()
    stage.sh('echo mine >> c; echo staged > staged; git add staged')
    const before = stage.state()
    await stage.agent(
      'echo more >> src/a; echo x > new; rm c; git add -A; git commit -qm one; echo y > other',
    )
    const git = stage.sh('command -v git').trim()
    const shim = `#!/bin/sh\ncase "$*" in *"${place}"*) kill -9 $PPID; sleep 5 ;; esac\nexec ${git} "$@"\n`
    writeFileSync(join(stage.bin, 'git'), shim, { mode: 0o755 })
    expect((await stage.spawn('undo', '--yes')).signal).toBe('SIGKILL')
    rmSync(join(stage.bin, 'git'))
    expect(await stage.ralph('undo', '--yes')).toMatchObject({ code: 0, stderr: '' })
    expect(stage.state()).toEqual(before)
  })

  it('tells what it cannot put back: at the start, and when it is asked to', async () => {
    const stage = setRepository()
    writeFileSync(join(stage.project, 'large'), Buffer.alloc(17 * 1024 * 1024))
    const ran = await stage.agent('echo x >> large; echo more >> src/a')
    expect(ran.stderr).toContain(
      'ralph: warning: ralph undo will not be able to put back 1 uncommitted file (too large, too many, or a repository): large\n',
    )
    const diff = await stage.spawn('diff', '--name-only')
    expect([diff.stdout, diff.stderr]).toEqual([
      'src/a\n',
      expect.stringContaining('was not copied, and differs now'),
    ])
    const { stdout } = await stage.ralph('undo', '--yes')
    expect(stdout).toContain(
      'stays     1 file: large (had uncommitted changes before the run and was not copied',
    )
    expect(readFileSync(join(stage.project, 'large')).length).toBe(17 * 1024 * 1024 + 2)
    expect(stage.read('src/a')).toBe('one\n')
  })

  it('says at the start that a merge under way would not come back', async () => {
    const stage = setRepository()
    const words = 'ralph: warning: a merge is in progress, and ralph undo would not bring that back'
    expect((await stage.agent('true')).stderr).not.toContain(words)
    stage.sh('git rev-parse HEAD > .git/MERGE_HEAD')
    expect((await stage.agent('true')).stderr).toContain(words)
  })

  it('leaves submodules and repositories of their own as they are, and names them', async () => {
    const stage = setRepository()
    mkdirSync(join(stage.root, 'lib'))
    stage.sh(`cd ../lib; git init -q; git config user.name T; git config user.email t@localhost
      echo l > l; git add l; git commit -qm l; cd ../project
      git -c protocol.file.allow=always submodule --quiet add ../lib lib; git commit -qm lib`)
    await stage.agent(`cd lib; git config user.name T; git config user.email t@localhost; echo m > l; git commit -qam m; cd ..
      git add -A; git commit -qm bump; git init -q nested; touch nested/file; echo x > new`)
    const { code, stdout } = await stage.ralph('undo', '--yes')
    expect(code).toBe(0)
    expect(stdout).toMatch(/stays {5}2 files: lib, nested\/ \(a repository of its own/)
    expect(stage.git('status', '--porcelain')).toBe('M lib\n?? nested/')
    expect(existsSync(join(stage.project, 'new'))).toBe(false)
  })

  it('counts what came after a crash as the run’s, says so, and keeps it', async () => {
    const stage = setRepository()
    const ralph = stage.start('run', '-p', 'x', '--', 'sh', '-c', 'echo more >> src/a; touch ../up; sleep 20')
    while (!existsSync(join(stage.root, 'up'))) await new Promise(resolve => setTimeout(resolve, 20))
    expect((await stage.ralph('undo', '--yes')).stderr).toMatch(
      /is at work; end it first, with: ralph cancel /,
    )
    ralph.kill('SIGKILL')
    await ralph.ended
    const { code, stdout } = await stage.ralph('undo', '--yes')
    expect([code, stage.read('src/a')]).toEqual([0, 'one\n'])
    expect(stdout).toContain(
      'note      the run was cut off, so what was changed since then counts as its own',
    )
  })

  it('outside a git repository, and without an answer, is one clear line and exit 2', async () => {
    const stage = setRepository()
    await stage.agent('echo more >> src/a')
    const asked = await stage.ralph('undo')
    expect([asked.code, asked.stderr]).toEqual([
      2,
      'ralph: error: undo asks first and needs a terminal; without one use --yes\n',
    ])
    expect(stage.read('src/a')).toBe('one\nmore\n')
    stage.sh('rm -rf .git')
    expect((await stage.ralph('undo', '--yes')).stderr).toMatch(
      /^ralph: error: .* is not a git repository any more\n$/,
    )
  })
})

describe.skipIf(!hasTmux)('on a terminal, ralph undo', () => {
  it.each([
    ['n', 1, 'one\nmore\n'],
    ['C-d', 1, 'one\nmore\n'],
    ['y', 0, 'one\n'],
  ])('asks, and obeys: %s', async (key, code, text) => {
    const stage = setRepository()
    await stage.agent('echo more >> src/a')
    const terminal = await openTerminal([process.execPath, RALPH, 'undo'], {
      cwd: stage.project,
      env: stage.env,
    })
    const screen = await terminal.waitFor('Undo it?')
    expect(screen).toContain('put back  1 file: src/a')
    await terminal.press(key)
    expect((await terminal.ended()).code).toBe(code)
    expect(stage.read('src/a')).toBe(text)
  })
})
