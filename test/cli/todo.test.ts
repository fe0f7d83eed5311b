import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { soon } from '../support/killing.ts'
import { item, plans, says, setBuild, statuses } from './build-scene.ts'
import { ending, refusal, setStage } from './scene.ts'

const three = [plans(item(1), item(2), item(3, ['#2']))]

/** A build that was left after its first task. */
async function stopped() {
  const stage = setBuild({ plan: three, settings: { guardrails: [{ command: 'true' }] } })
  await stage.ralph('build', 'x', '-m', '2')
  const todo = (...words: string[]) => stage.ralph('todo', stage.id().slice(-3), ...words)
  return { ...stage, todo, goOn: () => stage.ralph('resume', '-m', '20') }
}

describe('the list of a build that is left', () => {
  it('is shown, and given to programs', async () => {
    const stage = await stopped()
    const ran = await stage.todo()
    expect(ran.stdout).toBe(
      '[x] #1 Make part 1\n[ ] #2 Make part 2\n[ ] #3 Make part 3 › blocked by #2\nProgress: 1/3 (33%)\n',
    )
    expect(JSON.parse((await stage.todo('--json')).stdout)).toEqual(stage.list())
  })

  it('takes the text behind --after, which may be given more than once', async () => {
    const stage = await stopped()
    expect(await stage.todo('add', '--after', '#2', '--after', '#3', 'Write the changelog')).toMatchObject(
      ending(0, '[ ] #4 Write the changelog › blocked by #2, #3\n'),
    )
  })

  it('takes another task, which waits for what it is told to', async () => {
    const stage = await stopped()
    expect(await stage.todo('add', 'Write', 'the changelog', '--after', '#3')).toMatchObject(
      ending(0, '[ ] #4 Write the changelog › blocked by #3\n'),
    )
    expect(stage.list().at(-1)).toMatchObject({ id: '#4', content: 'Write the changelog' })
    expect((await stage.goOn()).code).toBe(0)
    expect(stage.names()).toEqual(['plan', '#1', '#2', '#3', '#4'])
    expect(stage.session('progress.txt')).toContain('- Added #4: Write the changelog')
  })

  it('is changed by done, skip and edit, and all of it stands when the build goes on', async () => {
    const stage = await stopped()
    expect((await stage.todo('edit', '#3', 'Export', 'as TSV')).code).toBe(0)
    expect((await stage.todo('done', '#2')).stdout).toContain('[x] #2 Make part 2\n[ ] #3 Export as TSV\n')
    expect((await stage.goOn()).code).toBe(0)
    expect(stage.names()).toEqual(['plan', '#1', '#3'])
    expect(stage.promptOf('#3')).toContain('# Your task: Export as TSV (#3)')
    expect(stage.edits().map(edit => edit.by)).toEqual(['person', 'person'])
    expect(stage.ending()).toMatchObject({ proof: 'claimed' })

    const other = await stopped()
    expect((await other.todo('skip', '#3')).code).toBe(0)
    expect((await other.goOn()).code).toBe(0)
    expect(other.names()).toEqual(['plan', '#1', '#2'])
    expect(JSON.stringify(other.edits())).toContain('skipped by a person')
  })

  it('has no bug fixes of a task any more that is skipped', async () => {
    const stage = setBuild({
      settings: { baseline: false, guardrails: [{ command: 'test -f made-#2' }] },
      plan: [plans(item(1), item(2))],
    })
    await stage.ralph('build', 'x', '-m', '2')
    expect(stage.list().map(({ id }) => id)).toEqual(['#1', '#1-bug-1', '#2'])
    expect((await stage.ralph('todo', stage.id(), 'skip', '#1')).code).toBe(0)
    expect((await stage.ralph('resume', '-m', '20')).code).toBe(0)
    expect(stage.names()).toEqual(['plan', '#1', '#2'])
  })

  it('keeps what was written into tasks.json by hand, too', async () => {
    const stage = await stopped()
    const list = stage.list().map(task => (task.id === '#2' ? { ...task, content: 'Make it blue' } : task))
    writeFileSync(stage.at('tasks.json'), JSON.stringify(list))
    const ran = await stage.todo('add', 'Make part 4')
    expect(ran.stdout).toMatch(/\[ \] #2 Make it blue\n[\s\S]*\[ \] #4 Make part 4\n/)
    expect(stage.list().map(task => task.content)).toEqual([
      'Make part 1',
      'Make it blue',
      'Make part 3',
      'Make part 4',
    ])
    expect((await stage.goOn()).code).toBe(0)
    expect(stage.names()).toEqual(['plan', '#1', '#2', '#3', '#4'])
  })

  it.each<[string[], RegExp]>([
    [['done', '#9'], /there is no task #9; the list has #1, #2, #3/],
    [['done', '#1'], /#1 is already completed/],
    [['done'], /say which task/],
    [['done', '#2', '#3'], /takes one task/],
    [['skip'], /say which task/],
    [['edit', '#2'], /say what to change it to/],
    [['edit', '#9', 'x'], /there is no task #9/],
    [['add'], /say what to do/],
    [['add', ' '], /say what to do/],
    [['add', 'x', '--after', '#7'], /there is no task #7/],
    [['done', '#2', '--after', '#1'], /--after goes with add only/],
    [['remove', '#2'], /ralph todo has no action "remove"; it has add, done, skip, edit/],
  ])('refuses %j with 2', async (words, why) => {
    const stage = await stopped()
    const before = stage.session('tasks.json')
    expect(await stage.todo(...words)).toMatchObject(refusal(why))
    expect([stage.edits(), stage.session('tasks.json')]).toEqual([[], before])
  })
})

describe('there is nothing to change', () => {
  it('in a build that is finished', async () => {
    const stage = await stopped()
    await stage.goOn()
    expect(await stage.todo('add', 'x')).toMatchObject(refusal('is finished; no agent would work on it'))
    expect((await stage.todo()).code).toBe(0)
  })

  it('in a run that is no build, or none', async () => {
    const stage = setStage()
    await stage.ralph('run', '-p', 'x')
    const id = stage.runs()[0]!.split('/').at(-1)!
    for (const [name, why] of [
      [id, 'has no list of tasks; only a build has one'],
      ['zzzz', 'no run "zzzz"'],
    ] as const) {
      expect(await stage.ralph('todo', name)).toMatchObject(refusal(why))
    }
  })

  it('before the plan is made: its tasks would be numbered alike', async () => {
    const stage = setBuild({ plan: [[['file', 'begun', ''], ['hang']]] })
    const run = stage.start('build', 'x')
    await soon(() => existsSync(join(stage.project, 'begun')))
    const todo = (...words: string[]) => stage.ralph('todo', stage.id(), ...words)
    expect((await todo()).stdout).toBe('no tasks yet: the plan is not ready\n')
    expect(await todo('add', 'x')).toMatchObject(refusal('the plan is not made yet'))
    run.kill('SIGHUP')
    await run.ended
  })
})

describe('the list of a build at work', () => {
  it('is changed before its next step, whatever the agent does to the file meanwhile', async () => {
    const stage = setBuild({
      plan: three,
      work: {
        '#1': [
          [
            ['file', 'begun', ''],
            ['await', '../go'],
            ['list', '[items[0], items[2], items[1]]'],
            ...says('Made it.'),
          ],
        ],
      },
    })
    const run = stage.start('build', 'x')
    await soon(() => existsSync(join(stage.project, 'begun')))
    const todo = (...words: string[]) => stage.ralph('todo', stage.id(), ...words)
    expect((await todo('add', 'Make part 4')).stdout).toMatch(
      /^sent to run \S+, which changes its list before/,
    )
    expect((await todo('done', '#2')).code).toBe(0)
    stage.write('../go', '')
    expect((await run.ended).code).toBe(0)
    expect(stage.names()).toEqual(['plan', '#1', '#3', '#4'])
    expect(statuses(stage.list())).toEqual(['#1 completed', '#3 completed', '#4 completed', '#2 completed'])
    expect(stage.warnings().filter(note => note.includes('#'))).toEqual([])
    expect(stage.edits().map(edit => [edit.by, 'request' in edit])).toEqual([
      ['person', true],
      ['person', true],
      ['agent', false],
    ])
  })

  it('takes a person’s word on the task that is being worked on', async () => {
    const stage = setBuild({
      settings: { baseline: false, guardrails: [{ command: 'false' }] },
      plan: [plans(item(1))],
      work: { '#1': [[['file', 'begun', ''], ['await', '../go'], ...says('Made it.')]] },
    })
    const run = stage.start('build', 'x')
    await soon(() => existsSync(join(stage.project, 'begun')))
    expect((await stage.ralph('todo', stage.id(), 'done', '#1')).code).toBe(0)
    stage.write('../go', '')
    expect([(await run.ended).code, stage.names()]).toEqual([0, ['plan', '#1']])
  })
})
