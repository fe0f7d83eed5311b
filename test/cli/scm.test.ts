import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Act, DONE } from '../support/agent-script.ts'
import { setRepository } from './repository.ts'
import { refusal, setStage } from './scene.ts'

const MORE: Act = ['claude', 'More to do.']
const says = (...lines: string[]): Act[] => [['print', ...lines]]
const scm = { command: 'git', tasks: ['commit'] }
/** A hook that git runs while it holds the locks of HEAD and of the branch. */
const WITH_LOCKS = 'reference-transaction'

describe('the SCM step', () => {
  it('commits what a green iteration changed, new files too, with the message the agent gives', async () => {
    const stage = setRepository({
      settings: { scm },
      calls: [
        [['file', 'new.txt', 'x'], ['append', 'README', 'more\n'], DONE],
        says('', 'Add the new file', '', 'Because.'),
      ],
    })
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(stage.log()).toEqual(['Add the new file', 'start'])
    expect(stage.filesIn('HEAD')).toEqual(['README', 'new.txt'])
    expect(stage.git('status', '--porcelain')).toBe('')
  })

  it('takes the message from a response tag, and asks word for word', async () => {
    const stage = setRepository({
      settings: { scm },
      calls: [
        [['file', 'a', 'x'], DONE],
        [['stdin', '../asked'], ['argv', '../argv'], ...says('Sure!', '<response>Add a</response>')],
      ],
    })
    await stage.ralph('run', '-p', 'x')
    expect(stage.log()[0]).toBe('Add a')
    expect(stage.read('../asked')).toBe(
      'Provide a short imperative commit message for the changes. Output only the message, no explanation.',
    )
  })

  it('comes before the end of the loop and after green guardrails only', async () => {
    const stage = setRepository({
      settings: { scm, baseline: false, guardrails: [{ command: 'test -f right' }] },
      calls: [[['file', 'wrong', 'x'], DONE], [['file', 'right', 'x'], DONE], says('Add both')],
    })
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(stage.log()).toEqual(['Add both', 'start'])
  })

  it('is skipped, and the loop goes on, when the agent gives no message', async () => {
    const stage = setRepository({
      settings: { scm },
      calls: [[['file', 'a', 'x'], MORE], [['exit', 1]], [['file', 'b', 'x'], DONE], says('Add a and b')],
    })
    const ran = await stage.ralph('run', '-p', 'x')
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('ralph: warning: git commit is aborted: the agent gave no commit message')
    expect(stage.log()).toEqual(['Add a and b', 'start'])
  })

  it('costs nothing when there is nothing to commit', async () => {
    const stage = setRepository({ settings: { scm }, calls: [[DONE], [['file', 'asked', '']]] })
    stage.write('.ralph/.gitignore', 'sessions/\n')
    stage.git('add', '-A')
    stage.git('commit', '-q', '-m', 'ignore')
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(stage.log()[0]).toBe('ignore')
    expect(existsSync(join(stage.project, 'asked'))).toBe(false)
  })

  it("never commits the user's earlier edits, and names what it had to leave", async () => {
    const stage = setRepository({
      settings: { scm },
      calls: [[['append', 'mixed', 'agent\n'], ['file', 'new', 'x'], DONE], says('Add new')],
    })
    for (const name of ['mine', 'mixed']) stage.write(name, 'committed\n')
    stage.git('add', '-A')
    stage.git('commit', '-q', '-m', 'more')
    stage.write('mine', 'edited\n')
    stage.write('mixed', 'edited\n')
    stage.write('staged', 'x')
    stage.git('add', 'staged')
    const ran = await stage.ralph('run', '-p', 'x')
    expect(ran.code).toBe(0)
    expect(ran.stderr).toMatch(/3 uncommitted changes in the working tree/)
    expect(ran.stderr).toContain('left uncommitted, because they had changes of yours before the run: mixed')
    expect(stage.filesIn('HEAD')).toEqual(['new'])
    expect(stage.git('status', '--porcelain').split('\n').sort()).toEqual(
      ['A  staged', 'M mine', ' M mixed'].sort(),
    )
  })

  it('says when the run is resumed that it will commit what was changed since it stopped', async () => {
    const stage = setRepository({
      settings: { scm },
      calls: [[MORE], [['file', 'new', 'x'], DONE], says('Add new')],
    })
    await stage.ralph('run', '-p', 'x', '-m', '1')
    stage.write('mine', 'later\n')
    const { stderr } = await stage.ralph('resume', '-m', '2')
    expect(stderr).toContain(
      "ralph: warning: changed since the run stopped: mine; that counts as the run's from now on, so ralph commits it and an undo takes it back\n",
    )
    expect(stage.filesIn('HEAD')).toEqual(['mine', 'new'])
  })

  it('says nothing of the kind if nothing was', async () => {
    const stage = setRepository({
      settings: { scm },
      calls: [
        [
          ['file', 'new', 'x'],
          ['exit', 1],
        ],
        [DONE],
      ],
    })
    await stage.ralph('run', '-p', 'x', '-m', '1')
    expect((await stage.ralph('resume', '-m', '2')).stderr).not.toContain('since the run stopped')
  })

  it('takes names and messages that mean something to git as they are', async () => {
    const odd = [':(top)*', ':!README', ':', '*', '-A', '--all', '"q"', 'line\nbreak']
    const stage = setRepository({
      settings: { scm },
      calls: [[...odd.map((name): Act => ['file', name, 'x']), DONE], says('--amend --author=x')],
    })
    stage.write('README', 'edited\n')
    stage.write('mine', 'x')
    const ran = await stage.ralph('run', '-p', 'x')
    expect([ran.code, stage.log()]).toEqual([0, ['--amend --author=x', 'start']])
    const committed = stage.git('show', '--format=', '--name-only', '-z', 'HEAD').split('\0').filter(Boolean)
    expect(committed.sort()).toEqual(odd.sort())
  })

  it('commits a folder in the place of a file or a link, and the reverse', async () => {
    const stage = setRepository({ settings: { scm } })
    mkdirSync(join(stage.project, 'folder'))
    for (const name of ['file', 'folder/in', 'empty']) stage.write(name, 'x\n')
    symlinkSync('file', join(stage.project, 'link'))
    stage.git('add', '-A')
    stage.git('commit', '-q', '-m', 'more')
    const agent = `if grep -q "commit message"; then echo Swap; else rm -r file link folder empty; mkdir file link empty
      echo 1 > file/in; echo 1 > link/in; echo 1 > folder; echo "<response>DONE</response>"; fi`
    const ran = await stage.ralph('run', '-p', 'x', '--', 'sh', '-c', agent)
    expect([ran.code, stage.log()[0]]).toEqual([0, 'Swap'])
    const files = stage.git('ls-tree', '-r', '--name-only', 'HEAD').split('\n')
    expect(files.filter(name => /^[a-z]/.test(name))).toEqual(['empty', 'file/in', 'folder', 'link/in'])
    expect(ran.stderr).toContain('left uncommitted, because a folder is in their place: empty\n')
    expect(stage.git('status', '--porcelain')).toBe('D  empty')
  })

  it('takes a message that looks like a comment of git', async () => {
    const stage = setRepository({
      settings: { scm },
      calls: [[['file', 'a', 'x'], DONE], says('#42: add a')],
    })
    stage.git('config', 'commit.cleanup', 'strip')
    await stage.ralph('run', '-p', 'x')
    expect(stage.log()[0]).toBe('#42: add a')
  })

  it('pushes where it is told to, and a push that fails gets a warning and does not end the loop', async () => {
    const stage = setRepository({
      settings: { scm: { command: 'git', tasks: ['commit', 'push -q origin HEAD'] } },
      calls: [[['file', 'a', 'x'], DONE], says('Add a')],
    })
    mkdirSync(join(stage.root, 'remote'))
    execFileSync('git', ['init', '-q', '--bare'], { cwd: join(stage.root, 'remote') })
    stage.git('remote', 'add', 'origin', join(stage.root, 'remote'))
    expect((await stage.ralph('run', '-p', 'x')).stderr).not.toContain('push')
    expect(
      execFileSync('git', ['log', '--format=%s', 'main'], {
        cwd: join(stage.root, 'remote'),
        encoding: 'utf8',
      }),
    ).toContain('Add a')

    const broken = setRepository({
      settings: { scm: { command: 'git', tasks: ['commit', 'push'] } },
      calls: [[['file', 'a', 'x'], DONE], says('Add a')],
    })
    const ran = await broken.ralph('run', '-p', 'x')
    expect(ran.code).toBe(0)
    expect(ran.stderr).toMatch(/ralph: warning: git push failed with exit code 128: .*scm_001_git_push\.log/)
    expect(broken.log()[0]).toBe('Add a')
  })

  it('records commits that the agent made itself, and does not commit them again', async () => {
    const stage = setRepository({
      settings: {
        scm,
        baseline: false,
        guardrails: [{ command: 'git diff --quiet HEAD || git commit -qam "By the agent"' }],
      },
      calls: [[['append', 'README', 'x'], DONE]],
    })
    stage.write('.ralph/.gitignore', 'sessions/\n')
    stage.git('add', '-A')
    stage.git('commit', '-q', '-m', 'ignore')
    await stage.ralph('run', '-p', 'x')
    const committed = stage.journal().filter(e => e.type === 'committed')
    expect(committed[0]).toMatchObject({
      by: 'agent',
      from: stage.git('rev-parse', 'HEAD~1'),
      to: stage.git('rev-parse', 'HEAD'),
    })
  })

  it('does not run hooks that were changed during the run', async () => {
    const hook =
      "printf '#!/bin/sh\\ntouch hooked\\n' > hooks-of-mine/pre-commit; chmod +x hooks-of-mine/pre-commit"
    const meddle = `[ -f ../second ] || { touch ../second; ${hook}; exit 1; }`
    const stage = setRepository({
      settings: { scm, baseline: false, guardrails: [{ command: meddle }] },
      calls: [[['file', 'a', 'x'], DONE], [DONE], says('Add a')],
    })
    mkdirSync(join(stage.project, 'hooks-of-mine'))
    stage.git('config', 'core.hooksPath', 'hooks-of-mine')
    const ran = await stage.ralph('run', '-p', 'x')
    expect(stage.log()[0]).toBe('Add a')
    expect(existsSync(join(stage.project, 'hooked'))).toBe(false)
    expect(ran.stderr).toContain('the git hooks were changed during the run, so they are not run')
  })

  it('proves nothing if hooks change what is committed, and leaves the index as the commit has it', async () => {
    const stage = setRepository({
      settings: { scm, baseline: false, guardrails: [{ command: '! grep -q hook a' }] },
      calls: [[['file', 'a', 'x'], DONE], says('Add a')],
    })
    const hook = '#!/bin/sh\necho hook >> a; echo x > b; git add a b\n'
    stage.write('.git/hooks/pre-commit', hook)
    chmodSync(join(stage.project, '.git/hooks/pre-commit'), 0o755)
    const ran = await stage.ralph('run', '-p', 'x')
    const why = 'git commit is not what was checked, because hooks changed a, b'
    expect(ran.stdout).toContain(`done as claimed: commit: ${why}`)
    expect(stage.git('show', '--format=', '--name-only', 'HEAD').split('\n')).toEqual(
      expect.arrayContaining(['a', 'b']),
    )
    expect(stage.git('status', '--porcelain')).toBe('')
  })

  it('is checked by the next iteration if hooks changed it', async () => {
    const stage = setRepository({
      settings: { scm, baseline: false, guardrails: [{ command: 'true' }] },
      calls: [[['file', 'a', 'x'], MORE], says('Add a'), [DONE]],
    })
    stage.write('.git/hooks/pre-commit', '#!/bin/sh\necho hook > a; git add a\n')
    chmodSync(join(stage.project, '.git/hooks/pre-commit'), 0o755)
    const ran = await stage.ralph('run', '-p', 'x')
    expect(ran.stdout).toContain('done, verified')
    expect(stage.read('a')).toBe('hook\n')
  })

  it('calls a repository that is not in order a failed check', async () => {
    const stage = setRepository({
      settings: { scm },
      calls: [
        [['file', '.git/MERGE_HEAD', ''], DONE],
        [['stdin', '../got'], DONE],
      ],
    })
    const ran = await stage.ralph('run', '-p', 'x', '-m', '2')
    expect(ran.code).toBe(1)
    expect(stage.read('../got')).toContain('The git repository is not in order: a merge is in progress.')
  })

  it('commits what is there when something was staged and removed again', async () => {
    const stage = setRepository({ settings: { scm } })
    const agent =
      'if grep -q "commit message"; then echo Add real; else echo x > tmp; git add tmp; rm tmp; echo y > real; echo "<response>DONE</response>"; fi'
    const ran = await stage.ralph('run', '-p', 'x', '--', 'sh', '-c', agent)
    expect([ran.code, stage.log()[0]]).toEqual([0, 'Add real'])
    expect(stage.filesIn('HEAD')).toContain('real')
  })

  it('that two signals cut short is repeated by the next incarnation', async () => {
    const stage = setRepository({ settings: { scm, killGrace: 0.1 } })
    const agent =
      'if grep -q "commit message"; then touch ../asked; [ -f ../again ] || sleep 20; echo Add real; else date +%N > real; echo "<response>DONE</response>"; fi'
    const ralph = stage.start('run', '-p', 'x', '--', 'sh', '-c', agent)
    while (!existsSync(join(stage.root, 'asked'))) await new Promise(resolve => setTimeout(resolve, 20))
    ralph.kill('SIGINT')
    await new Promise(resolve => setTimeout(resolve, 50))
    ralph.kill('SIGINT')
    const ran = await ralph.ended
    expect([ran.code, ran.stderr]).toEqual([130, expect.not.stringContaining('no commit message')])
    stage.write('../again', '')
    expect((await stage.ralph('resume')).code).toBe(0)
    expect(stage.log()).toEqual(['Add real', 'start'])
  })

  it("puts back what the message call changed, and does not commit ralph's own file alone", async () => {
    const stage = setRepository({ settings: { scm } })
    const agent =
      'if grep -q "commit message"; then [ -f ../once ] || echo "{}" > .ralph/settings.json; touch ../once; echo Add it; else [ -f real ] || echo x > real; echo hi; fi'
    await stage.ralph('run', '-p', 'x', '-m', '3', '--', 'sh', '-c', agent)
    const settled = stage.settled()
    expect(settled.map(({ move }) => move)).toEqual(['fail', 'more', 'more'])
    expect(settled[0]!.findings.at(-1)).toMatchObject({
      check: 'protect',
      verdict: 'fail',
      note: expect.stringContaining('.ralph/settings.json'),
    })
    expect(JSON.parse(stage.read('.ralph/settings.json'))).toEqual({ scm })
    expect(stage.log()).toEqual(['Add it', 'start'])
  })

  it('runs another SCM command as it is', async () => {
    const stage = setStage({
      settings: { scm: { command: './scm', tasks: ['commit', 'share now'] } },
      calls: [[DONE], says('Add it')],
    })
    stage.write('scm', '#!/bin/sh\nfor w in "$@"; do echo "[$w]" >> said; done\n')
    chmodSync(join(stage.project, 'scm'), 0o755)
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(stage.read('said').trim().split('\n')).toEqual([
      '[commit]',
      '[-am]',
      '[Add it]',
      '[share]',
      '[now]',
    ])
  })

  it('after a crash between intent and commit, commits once; after the commit, not again', async () => {
    const make = () =>
      setRepository({
        settings: { scm, killGrace: 0 },
        calls: [[['file', 'a', 'x'], DONE], says('Add a')],
      })
    // The last of them also kills git, which leaves its locks.
    const moments = ['pre-commit', 'post-commit', ...(process.platform === 'linux' ? [WITH_LOCKS] : [])]
    for (const when of moments) {
      const stage = make()
      const hook = join(stage.project, '.git', 'hooks', when)
      // The hook ends ralph in the middle of its commit, once.
      writeFileSync(
        hook,
        `#!/bin/sh\n${when === WITH_LOCKS ? '[ "$1" = prepared ] || exit 0\n' : ''}[ -f ../killed ] && exit 0\ntouch ../killed\nkill -9 "$(cat ../ralph.pid)"\n${when === WITH_LOCKS ? 'kill -9 $PPID\n' : ''}sleep 5\n`,
      )
      chmodSync(hook, 0o755)
      const ralph = stage.start('run', '-p', 'x')
      writeFileSync(join(stage.root, 'ralph.pid'), String(ralph.pid))
      expect((await ralph.ended).signal).toBe('SIGKILL')
      const before = stage.journal().filter(e => e.type === 'committing' || e.type === 'committed')
      expect(before).toMatchObject([{ type: 'committing', message: 'Add a' }])
      await new Promise(resolve => setTimeout(resolve, 1000))
      const resumed = await stage.ralph('resume')
      expect([resumed.code, stage.log()], when).toEqual([0, ['Add a', 'start']])
      expect(existsSync(join(stage.project, '.git', 'HEAD.lock')), when).toBe(false)
      // Whoever finds it after the crash knows whose it is.
      expect(
        stage.journal().filter(e => e.type === 'committed'),
        when,
      ).toMatchObject([{ by: 'ralph', to: stage.git('rev-parse', 'HEAD') }])
    }
  })
})

describe('flags about git', () => {
  it('--branch starts a new branch, and refuses one that exists', async () => {
    const stage = setRepository()
    expect((await stage.ralph('run', '-p', 'x', '--branch', 'ralph/x')).code).toBe(0)
    expect(stage.git('branch', '--show-current')).toBe('ralph/x')
    expect(await stage.ralph('run', '-p', 'x', '--branch', 'main')).toMatchObject(
      refusal('--branch main: it already exists'),
    )
  })
})
