import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { setParallel, taskOf } from './parallel-scene.ts'
import { refusal } from './scene.ts'

describe('ralph pipeline --parallel 2', { timeout: 90_000 }, () => {
  it('works on each task in a worktree and on a branch of its own, and merges each', async () => {
    const stage = await setParallel({
      tasks: [taskOf('T1'), taskOf('T2'), taskOf('T3', { dependencies: ['T1', 'T2'] })],
      acts: { 'T3.coder': 'cat T1.txt T2.txt > T3.txt' },
    })
    const ran = await stage.pipeline('--parallel', '2')
    expect([ran.code, ran.stderr]).toEqual([0, expect.anything()])
    for (const id of ['T1', 'T2', 'T3']) expect(stage.stored(id).status).toBe('completed')
    expect(stage.read('T3.txt')).toBe('T1\nT2\n')
    const folders = stage.calls().map(([task, , folder]) => [task, folder])
    for (const [task, folder] of folders)
      expect(folder).toMatch(new RegExp(`project-worktrees/[^/]+/${task}$`))
    expect(stage.events('started').slice(0, 2)).toMatchObject([{ task: 'T1' }, { task: 'T2' }])
    // In order: the folder, the work, the merge, the end of the folder.
    const of = (task: string) => stage.events('opening').find(e => e.task === task)!.workspace
    for (const id of ['T1', 'T2', 'T3']) {
      const mine = stage
        .journal()
        .flatMap(e => ('workspace' in e && e.workspace === of(id) ? [e.type] : []))
        .filter(type => type !== 'started' && type !== 'settled')
      expect(mine).toEqual(['opening', 'opened', 'merging', 'rebased', 'landing', 'merged', 'closed'])
    }
    expect(stage.worktrees()).toEqual([])
    expect(stage.branches()).toEqual(['main'])
    expect(stage.git('log', '--format=%s', '--reverse')).toMatch(/^begin\n(Make T[12]\n){2}Make T3$/)
    expect(stage.git('status', '--porcelain')).toBe('')
    expect(stage.journal().at(-1)).toMatchObject({ type: 'finished', result: 'complete', proof: 'verified' })
    // Lines of the two are told apart.
    expect(ran.stdout).toMatch(/^T1 │ iteration \d+.* · coding/m)
    expect(ran.stdout).toMatch(/^T2 │ merging/m)
    expect(ran.stdout).toContain('2 tasks at once, each in a worktree of its own, then merged (rebase)')
  })

  it('finds an agent by a path of the project, also one that git does not know', async () => {
    const stage = await setParallel({ files: { 'own.sh': '#!/bin/sh\nexec player\n' } })
    stage.git('update-index', '--chmod=+x', 'own.sh')
    stage.git('commit', '-qm', 'own')
    chmodSync(join(stage.project, 'own.sh'), 0o755)
    mkdirSync(join(stage.project, '.ralph', 'bin'))
    for (const [path, says] of [
      ['own.sh', 'mine'],
      ['.ralph/bin/agent', 'ignored'],
    ] as const) {
      const script = `#!/bin/sh\necho ${says} > ../../../${says}\nexec player\n`
      writeFileSync(join(stage.project, path), script, { mode: 0o755 })
    }
    const ran = await stage.ralph('pipeline', 'T1', '--worktree', '--', '.ralph/bin/agent')
    expect([ran.code, existsSync(join(stage.root, 'ignored'))]).toEqual([0, true])
    // What is there in the worktree goes before what the project has in its place.
    const other = await stage.ralph('pipeline', 'T2', '--worktree', '--', './own.sh')
    expect([other.code, existsSync(join(stage.root, 'mine'))]).toEqual([0, false])
  })

  it('gives a conflict to an agent, which resolves it with both sides before it', async () => {
    const meet = (me: string, other: string) =>
      `touch "$ACTS/${me}"; i=0; until [ -e "$ACTS/${other}" ] || [ $i -gt 200 ]; do sleep 0.05; i=$((i+1)); done
       echo "${me}" > base.txt; echo > ${me}.txt`
    const stage = await setParallel({
      acts: {
        'T1.coder': meet('T1', 'T2'),
        'T2.coder': meet('T2', 'T1'),
        'T1.resolver': 'cp base.txt "$ACTS/seen"; printf "T1 and T2\\n" > base.txt',
        'T2.resolver': 'cp base.txt "$ACTS/seen"; printf "T1 and T2\\n" > base.txt',
      },
    })
    const ran = await stage.pipeline('--parallel', '2')
    expect([
      ran.code,
      stage
        .settled()
        .filter(s => /merge|resolve/.test(s))
        .map(s => s.slice(3)),
    ]).toEqual([0, ['merge pass', 'merge fail', 'resolve pass', 'merge pass']])
    expect(stage.read('base.txt')).toBe('T1 and T2\n')
    const seen = readFileSync(join(stage.root, 'acts', 'seen'), 'utf8')
    expect(seen).toMatch(/^<{7} [\s\S]*={7}[\s\S]*>{7} /)
    const later = stage.events('rebased').find(e => e.conflict)!
    expect(later.conflict).toEqual(['base.txt'])
    expect(ran.stdout).toMatch(/^T[12] │ {3}✗ merge .*conflicts with what is on main by now/m)
    // What ralph does itself is no iteration.
    expect(ran.stdout).toMatch(/ 5 iterations · /)
    expect((await stage.ralph('report')).stdout).toMatch(/^ +– {2}fail .* T[12] · merge · ralph/m)
    // No commit with marks is in the history.
    for (const commit of stage.git('log', '--format=%H').split('\n'))
      expect(stage.git('show', `${commit}:base.txt`)).not.toContain('<<<<<<<')
    expect(stage.worktrees()).toEqual([])
  })

  it('blocks a task whose conflict nobody resolves, and keeps its branch; the other is merged', async () => {
    const stage = await setParallel({
      acts: {
        'T1.coder': 'echo T1 > base.txt; echo > T1.txt',
        'T2.coder': 'echo T2 > base.txt; echo > T2.txt',
        'T1.resolver': ':',
        'T2.resolver': ':',
      },
    })
    const ran = await stage.pipeline('--parallel', '2')
    expect(ran.code).toBe(1)
    const [done, blocked] = ['T1', 'T2'].sort(
      (a, b) => Number(stage.stored(a).status === 'blocked') - Number(stage.stored(b).status === 'blocked'),
    )
    expect(stage.stored(done!).status).toBe('completed')
    expect(stage.stored(blocked!)).toMatchObject({
      status: 'blocked',
      metadata: { reason: expect.stringContaining('still have the marks of a conflict: base.txt') },
    })
    expect(stage.worktrees()).toEqual([blocked])
    expect(ran.stdout).toContain(`${blocked} is not merged: branch ralph/`)
    expect(stage.read('base.txt')).toBe(`${done}\n`)
  })
})

describe('the user’s own files', { timeout: 90_000 }, () => {
  it('are never overwritten: an overlap blocks the task, is named, and loses nothing', async () => {
    const stage = await setParallel({
      acts: {
        'T1.coder': 'echo T1 > T1.txt; echo mine > base.txt',
        'T2.coder': 'echo T2 > T2.txt; touch "$ACTS/T2"',
      },
    })
    stage.write('base.txt', 'not committed\n')
    stage.write('loose.txt', 'not known to git\n')
    const ran = await stage.pipeline('--parallel', '2')
    expect([ran.code, stage.read('base.txt'), stage.read('loose.txt')]).toEqual([
      1,
      'not committed\n',
      'not known to git\n',
    ])
    expect(stage.stored('T2').status).toBe('completed')
    expect(stage.stored('T1')).toMatchObject({
      status: 'blocked',
      metadata: { reason: expect.stringMatching(/changes what you have not committed: base\.txt/) },
    })
    // What the agent did is committed on the branch that is kept.
    const branch = stage.branches().find(name => name.endsWith('/T1'))!
    expect(stage.git('show', `${branch}:base.txt`)).toBe('mine')
    expect(stage.worktrees()).toEqual(['T1'])
    expect(stage.git('log', '--format=%s')).toBe('Make T2\nbegin')
    expect(ran.stderr).toContain('uncommitted changes in the working tree')
    // Once it is out of the way, the task is merged.
    stage.git('checkout', '--', 'base.txt')
    expect((await stage.ralph('resume')).code).toBe(0)
    expect(stage.read('base.txt')).toBe('mine\n')
    expect(stage.stored('T1').status).toBe('completed')
    expect(stage.worktrees()).toEqual([])
  })
})

describe('--parallel', () => {
  it.each(['run', 'stories'])('is refused for ralph %s with a sentence', async workflow => {
    const stage = await setParallel()
    const words = workflow === 'run' ? ['run', '-p', 'x'] : ['stories']
    expect(await stage.ralph(...words, '--parallel', '2', '--', 'player')).toMatchObject(
      refusal('--parallel is for ralph build and ralph pipeline'),
    )
  })

  it('needs a branch and a commit, and a dry run says what it means', async () => {
    const stage = await setParallel()
    const dry = await stage.pipeline('--parallel', '3', '--dry-run')
    expect(dry.stdout).toMatch(
      /parallel\s+3 tasks at once, each in a worktree of its own, then merged \(rebase\)/,
    )
    stage.git('checkout', '-q', '--detach')
    expect(await stage.pipeline('--parallel', '2')).toMatchObject(refusal('need a branch to merge into'))
  })
})
