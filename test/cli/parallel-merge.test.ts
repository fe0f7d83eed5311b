import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { setParallel, taskOf } from './parallel-scene.ts'
import { ending } from './scene.ts'

/** Makes two commits, and leaves something uncommitted. */
const twoCommits = (id: string) =>
  `echo 1 > ${id}-1.txt; git add .; git commit -qm '${id}, one'; echo 2 > ${id}-2.txt; git add .; git commit -qm '${id}, two'
   echo ${id} > ${id}.txt`
const ACTS = { 'T1.coder': twoCommits('T1'), 'T2.coder': twoCommits('T2') }

const merges = (merge: string, more: string[] = []) => ({
  scm: { command: 'git', tasks: ['commit', ...more], merge },
})

describe('scm.merge', { timeout: 90_000 }, () => {
  it('rebase keeps each commit, one after the other', async () => {
    const stage = await setParallel({ acts: ACTS, settings: merges('rebase') })
    expect((await stage.pipeline('--parallel', '2')).code).toBe(0)
    expect(stage.git('log', '--merges', '--format=%s')).toBe('')
    expect(stage.git('log', '--format=%s').split('\n').sort()).toEqual(
      ['T1, one', 'T1, two', 'T2, one', 'T2, two', 'begin', 'Go on', 'Go on'].sort(),
    )
  })

  it('squash makes one commit of each task, with its title and what it took', async () => {
    const stage = await setParallel({ acts: ACTS, settings: merges('squash') })
    expect(await stage.pipeline('--parallel', '2')).toMatchObject(ending(0, 'then merged (squash)'))
    const log = stage.git('log', '--format=%s%n%b%P%n', '--first-parent')
    expect(stage.git('log', '--format=%s').split('\n').sort()).toEqual(['Make T1', 'Make T2', 'begin'])
    for (const id of ['T1', 'T2'])
      expect(log).toMatch(new RegExp(`Make ${id}\\n\\n?${id}, 2 iterations, verified, ralph run [0-9]`))
    expect(stage.git('ls-files')).toBe(
      '.gitignore\nT1-1.txt\nT1-2.txt\nT1.txt\nT2-1.txt\nT2-2.txt\nT2.txt\nbase.txt',
    )
    expect(stage.branches()).toEqual(['main'])
    expect(stage.worktrees()).toEqual([])
  })

  it('merge keeps the commits of each task beside a merge commit with its title', async () => {
    const stage = await setParallel({ acts: ACTS, settings: merges('merge') })
    expect((await stage.pipeline('--parallel', '2')).code).toBe(0)
    const first = stage.git('log', '--first-parent', '--format=%s').split('\n')
    expect(first.sort()).toEqual(['Make T1', 'Make T2', 'begin'])
    const merged = stage.git('log', '--first-parent', '--format=%P', '-2').split('\n')
    for (const parents of merged) expect(parents.split(' ')).toHaveLength(2)
    for (const subject of ['T1, one', 'T1, two', 'T2, one', 'T2, two'])
      expect(stage.git('log', '--format=%s').split('\n')).toContain(subject)
    expect(stage.branches()).toEqual(['main'])
  })

  it.each(['squash', 'merge'])(
    '%s takes a resolved conflict along as one commit without marks',
    async merge => {
      const meet = (me: string, other: string) =>
        `touch "$ACTS/${me}"; i=0; until [ -e "$ACTS/${other}" ] || [ $i -gt 200 ]; do sleep 0.05; i=$((i+1)); done
       echo ${me} > base.txt; echo > ${me}.txt`
      const resolver = 'echo both > base.txt'
      const stage = await setParallel({
        acts: {
          'T1.coder': meet('T1', 'T2'),
          'T2.coder': meet('T2', 'T1'),
          'T1.resolver': resolver,
          'T2.resolver': resolver,
        },
        settings: merges(merge),
      })
      expect((await stage.pipeline('--parallel', '2')).code).toBe(0)
      expect(stage.read('base.txt')).toBe('both\n')
      const first = stage.git('log', '--first-parent', '--format=%s').split('\n')
      expect(first.sort()).toEqual(['Make T1', 'Make T2', 'begin'])
      for (const commit of stage.git('log', '--format=%H').split('\n'))
        expect(stage.git('show', `${commit}:base.txt`)).not.toMatch(/^[<>]{7}/m)
    },
  )
})

describe('the checks of a merge', { timeout: 90_000 }, () => {
  it('run on the merged tree: what is green alone and red together goes to an agent', async () => {
    const stage = await setParallel({
      acts: { 'T1.resolver': 'touch both.txt', 'T2.resolver': 'touch both.txt' },
      settings: {
        guardrails: [{ command: '! { test -e T1.txt && test -e T2.txt && ! test -e both.txt; }' }],
      },
    })
    const begin = stage.git('rev-parse', 'HEAD')
    expect((await stage.pipeline('--parallel', '2')).code).toBe(0)
    const moves = stage.settled().flatMap(settled => /(?:merge|resolve) \w+/.exec(settled) ?? [])
    expect(moves).toEqual(['merge pass', 'merge fail', 'resolve pass', 'merge pass'])
    // Each merge knows the commit before it.
    const [first, second] = stage.events('merged')
    expect([first!.from, second!.from, second!.to]).toEqual([
      begin,
      first!.to,
      stage.git('rev-parse', 'HEAD'),
    ])
  })

  it('are those of every stage of the task: its commands, once each', async () => {
    const stage = await setParallel({
      tasks: [taskOf('T1')],
      settings: { guardrails: [] },
    })
    expect((await stage.pipeline('--worktree')).code).toBe(0)
    const merge = stage.events('settled').find(({ stage }) => stage === 'merge')!
    expect(merge.findings.map(({ check, verdict }) => `${check} ${verdict}`)).toEqual(['test -e T1.txt pass'])
  })
})

describe('the files of tasks', { timeout: 90_000 }, () => {
  it('are put back in the folder of a task too, whether git knows them or not', async () => {
    const cheat = 'mkdir -p .ralph/tasks; echo {} > .ralph/tasks/T1.json; echo T1 > T1.txt'
    for (const ignored of ['.ralph/', '.ralph/sessions/']) {
      const stage = await setParallel({
        tasks: [taskOf('T1')],
        acts: { 'T1.coder': `[ -e "$ACTS/once" ] || { touch "$ACTS/once"; ${cheat}; }; echo T1 > T1.txt` },
      })
      stage.write('.gitignore', `${ignored}\ntasks.json\n`)
      stage.git('add', '.')
      stage.git('commit', '-q', '--allow-empty', '-m', 'tasks')
      expect((await stage.pipeline('--worktree')).code).toBe(0)
      expect(stage.settled().slice(0, 2)).toEqual(['T1 coder fail', 'T1 coder pass'])
      const [red] = stage.events('settled')
      expect(red!.findings.find(({ verdict }) => verdict === 'fail')).toMatchObject({
        note: expect.stringContaining('.ralph/tasks/T1.json'),
      })
      expect(stage.stored('T1')).toMatchObject({ id: 'T1', status: 'completed' })
      expect(stage.git('diff', '--name-only', 'HEAD~1', 'HEAD')).toBe('T1.txt')
    }
  })
})

describe('push in scm.tasks', { timeout: 90_000 }, () => {
  it('pushes the branch that the run began on after each merge, and no branch of a task', async () => {
    const stage = await setParallel({ settings: merges('rebase', ['push']) })
    const remote = join(stage.root, 'remote.git')
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote])
    stage.git('remote', 'add', 'origin', remote)
    stage.git('push', '-q', '-u', 'origin', 'main')
    stage.git('config', 'push.default', 'simple')
    const ran = await stage.pipeline('--parallel', '2')
    expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining('push')])
    const there = (...args: string[]) =>
      execFileSync('git', args, { cwd: remote, encoding: 'utf8' }).trimEnd()
    expect(there('rev-parse', 'main')).toBe(stage.git('rev-parse', 'main'))
    expect(there('branch', '--format=%(refname:short)')).toBe('main')
    // Once for each merge: the first one was there before the second.
    expect(stage.events('merged').map(({ to }) => there('cat-file', '-t', to))).toEqual(['commit', 'commit'])
  })

  it('that fails is a warning; the work is merged', async () => {
    const stage = await setParallel({ tasks: [taskOf('T1')], settings: merges('rebase', ['push']) })
    const ran = await stage.pipeline('--worktree')
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringMatching(/git push .*(?:failed|exit)/)])
    expect(stage.git('log', '-1', '--format=%an %s')).toBe('a Go on')
    expect(stage.worktrees()).toEqual([])
  })
})

describe('worktree.setup', { timeout: 90_000 }, () => {
  it('that fails in the folder of a task stops the run with the reason; resume makes it anew and goes on', async () => {
    const setup = 'test -e "$RALPH_ROOT/../ready" || { echo "no dependencies"; exit 3; }'
    const stage = await setParallel({ settings: { worktree: { setup } } })
    const ran = await stage.pipeline('--parallel', '2')
    expect([ran.code, ran.stdout + ran.stderr]).toEqual([
      1,
      expect.stringMatching(
        /T1: worktree\.setup failed \(exit code 3\): no dependencies; fix that, then: +ralph resume/,
      ),
    ])
    expect(existsSync(join(stage.root, 'calls'))).toBe(false)
    execFileSync('touch', [join(stage.root, 'ready')])
    expect((await stage.ralph('resume')).code).toBe(0)
    for (const id of ['T1', 'T2']) expect(stage.stored(id).status).toBe('completed')
    expect(stage.git('log', '--format=%s').split('\n').sort()).toEqual(['Make T1', 'Make T2', 'begin'])
    expect(stage.worktrees()).toEqual([])
  })

  it('that fails for one task lets what is under way finish first', async () => {
    const setup = 'case $RALPH_WORKTREE in */T2) echo broken; exit 1;; esac'
    const stage = await setParallel({
      acts: { 'T1.coder': 'sleep 0.5; echo T1 > T1.txt' },
      settings: { worktree: { setup } },
    })
    const ran = await stage.pipeline('--parallel', '2')
    expect([ran.code, ran.stdout + ran.stderr]).toEqual([
      1,
      expect.stringContaining('T2: worktree.setup failed'),
    ])
    expect(stage.events('ended')).toHaveLength(1)
    const branch = stage.branches().find(name => name.endsWith('/T1'))
    expect([branch, stage.worktrees()]).toEqual([expect.anything(), expect.arrayContaining(['T1'])])
  })
})
