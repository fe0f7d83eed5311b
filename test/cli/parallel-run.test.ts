import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { leftovers, leftoversLater, soon } from '../support/killing.ts'
import { startRalph } from '../support/ralph.ts'
import { setParallel, taskOf } from './parallel-scene.ts'

/** Waits for a file of the test before it goes on. */
const waitFor = (name: string) =>
  `touch "$ACTS/at-$id"; i=0; until [ -e "$ACTS/${name}" ] || [ $i -gt 600 ]; do sleep 0.05; i=$((i+1)); done`
const works = (id: string) => `${waitFor('go')}; echo ${id} > ${id}.txt`

async function setTwo() {
  const stage = await setParallel({
    acts: { 'T1.coder': works('T1'), 'T2.coder': works('T2') },
    settings: { killGrace: 0.2 },
  })
  const acts = join(stage.root, 'acts')
  const start = (...words: string[]) => startRalph(words, { cwd: stage.project, env: stage.env })
  const begin = async () => {
    const ralph = start('pipeline', '--parallel', '2', '--', 'player')
    expect(await soon(() => ['T1', 'T2'].every(id => existsSync(join(acts, `at-${id}`))))).toBe(true)
    return ralph
  }
  const ends = () => stage.events('ended').length
  return { ...stage, begin, ends, go: () => writeFileSync(join(acts, 'go'), '') }
}

describe('with several tasks in flight', { timeout: 90_000 }, () => {
  it('the first Ctrl+C lets all of them finish; resume pays for nothing again', async () => {
    const stage = await setTwo()
    const ralph = await stage.begin()
    ralph.kill('SIGINT')
    stage.go()
    const ran = await ralph.ended
    expect([ran.code, stage.ends()]).toEqual([130, 2])
    expect(ran.stderr).toContain('Received signal, shutting down...')
    expect(stage.journal().at(-1)).toMatchObject({ type: 'stopped' })
    expect(stage.worktrees().sort()).toEqual(['T1', 'T2'])
    expect(ran.stdout).toContain('2 iterations, still to be checked')
    const resumed = await stage.ralph('resume')
    expect(resumed.code).toBe(0)
    for (const id of ['T1', 'T2'])
      expect(resumed.stdout).toContain(`${id} │ the checks of the iteration that was stopped\n`)
    expect(stage.calls().filter(([, role]) => role === 'coder')).toHaveLength(2)
    expect(stage.git('ls-files')).toBe('.gitignore\nT1.txt\nT2.txt\nbase.txt')
    expect(stage.worktrees()).toEqual([])
  })

  it('the second ends all of them now, with everything they started; resume does their work again', async () => {
    const stage = await setTwo()
    const ralph = await stage.begin()
    await ralph.killTwice('SIGINT')
    expect((await ralph.ended).code).toBe(130)
    expect(await leftoversLater(stage.ralphHome)).toEqual([])
    expect(
      stage
        .events('settled')
        .map(({ task, end }) => `${task} ${end}`)
        .sort(),
    ).toEqual(['T1 interrupted', 'T2 interrupted'])
    stage.go()
    expect((await stage.ralph('resume')).code).toBe(0)
    for (const id of ['T1', 'T2']) expect(stage.stored(id).status).toBe('completed')
    expect(stage.branches()).toEqual(['main'])
    expect(leftovers(stage.ralphHome)).toEqual([])
  })
})

describe('what you do in the project meanwhile', { timeout: 90_000 }, () => {
  it('stays: a commit of yours goes first, and the tasks are put onto it', async () => {
    const stage = await setTwo()
    const ralph = await stage.begin()
    stage.write('mine.txt', 'mine\n')
    stage.git('add', 'mine.txt')
    stage.git('commit', '-qm', 'mine')
    stage.go()
    expect((await ralph.ended).code).toBe(0)
    expect(stage.git('log', '--format=%s')).toMatch(/^(?:Make T[12]\n){2}mine\nbegin$/)
    expect(stage.git('status', '--porcelain')).toBe('')
  })

  it('stays: on another branch your files are left as they are, and the tasks are merged all the same', async () => {
    const stage = await setTwo()
    const ralph = await stage.begin()
    stage.git('switch', '-qc', 'other')
    stage.write('base.txt', 'mine\n')
    stage.go()
    expect((await ralph.ended).code).toBe(0)
    expect(stage.git('log', 'main', '--format=%s').split('\n').sort()).toEqual([
      'Make T1',
      'Make T2',
      'begin',
    ])
    expect([stage.git('symbolic-ref', '--short', 'HEAD'), stage.git('status', '--porcelain')]).toEqual([
      'other',
      ' M base.txt',
    ])
    expect(stage.branches()).toEqual(['main', 'other'])
  })
})

describe('ralph undo after tasks were worked on at once', { timeout: 90_000 }, () => {
  it('puts back the branch and the files, and keeps what was not merged, by name', async () => {
    const stage = await setParallel({
      acts: { 'T2.coder': 'echo mine > base.txt; echo T2 > T2.txt' },
    })
    const begin = stage.git('rev-parse', 'HEAD')
    stage.write('base.txt', 'not committed\n')
    expect((await stage.pipeline('--parallel', '2')).code).toBe(1)
    expect(stage.git('log', '--format=%s')).toBe('Make T1\nbegin')
    const undone = await stage.ralph('undo', '--yes')
    expect([undone.code, undone.stderr]).toEqual([0, ''])
    expect(stage.git('rev-parse', 'main')).toBe(begin)
    expect([stage.read('base.txt'), existsSync(join(stage.project, 'T1.txt'))]).toEqual([
      'not committed\n',
      false,
    ])
    expect(stage.git('status', '--porcelain')).toBe(' M base.txt')
    const branch = stage.branches().find(name => name.endsWith('/T2'))!
    expect(stage.git('show', `${branch}:base.txt`)).toBe('mine')
    expect(stage.worktrees()).toEqual(['T2'])
    expect(undone.stdout).toContain(branch)
    // The tasks are to be done again.
    expect(['T1', 'T2'].map(id => stage.stored(id))).toMatchObject([
      { status: 'pending', iteration: 0, metadata: {} },
      { status: 'pending', iteration: 0, metadata: {} },
    ])
  })
})

/** A claude that costs 60 cents a call, and notes what it may spend. The first two wait for each other. */
const CLAUDE = `#!/bin/sh
case "$*" in *--help* | --version) echo '--max-budget-usd --output-format'; exit 0;; esac
echo "$*" | sed -n 's/.*--max-budget-usd \\([0-9.]*\\).*/\\1/p' >> "$ACTS/../budgets"
id=$(sed -n 's/^# Your task: .*(\\(.*\\))$/\\1/p'); echo "$id" > "$id.txt"; touch "$ACTS/at-$id"
i=0; until [ -e "$ACTS/at-T1" ] && [ -e "$ACTS/at-T2" ] || [ $i -gt 600 ]; do sleep 0.05; i=$((i+1)); done
echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"Done. <promise>IMPLEMENTATION_COMPLETE</promise>","total_cost_usd":0.6,"usage":{"input_tokens":1,"output_tokens":1}}'
`

describe('the budget of tasks that are worked on at once', { timeout: 90_000 }, () => {
  it('is one: each call may spend its share of what is left, and what is finished is merged', async () => {
    const stage = await setParallel({
      tasks: ['T1', 'T2', 'T3', 'T4'].map(id => taskOf(id)),
      settings: {
        pipeline: { roles: Object.fromEntries(['reviewer', 'tester', 'qa'].map(r => [r, { skip: true }])) },
      },
    })
    writeFileSync(join(stage.bin, 'claude'), CLAUDE, { mode: 0o755 })
    const ran = await stage.ralph('pipeline', '--parallel', '2', '--max-cost', '1')
    expect([ran.code, stage.journal().at(-1)]).toEqual([
      1,
      expect.objectContaining({ type: 'finished', result: 'budget', why: '$1.20 of $1.00 are spent' }),
    ])
    expect(readFileSync(join(stage.root, 'budgets'), 'utf8')).toBe('0.50\n0.50\n')
    expect(stage.git('log', '--format=%s').split('\n').sort()).toEqual(['Make T1', 'Make T2', 'begin'])
    expect(['T1', 'T2', 'T3', 'T4'].map(id => stage.stored(id).status)).toEqual([
      'completed',
      'completed',
      'pending',
      'pending',
    ])
    expect(stage.worktrees()).toEqual([])
  })
})
