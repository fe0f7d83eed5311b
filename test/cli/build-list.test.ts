import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Act } from '../support/agent-script.ts'
import { soon } from '../support/killing.ts'
import { item, plans, says, setBuild, statuses } from './build-scene.ts'
import { setStage } from './scene.ts'

const GREEN = { guardrails: [{ command: 'true' }] }
const three = [plans(item(1), item(2), item(3))]

/** An agent that changes the list and says that it is done. */
const changes = (body: string): Act[] => [['list', body], ...says('Made it.')]

describe('an agent that changes the list', () => {
  it('may add tasks, which are worked on, and nobody is accused of anything', async () => {
    const more = `{ content: 'Make part 4', status: 'pending', activeForm: 'Making part 4' }`
    const stage = setBuild({
      plan: three,
      work: { '#1': [changes(`[items[0], ${more}, items[1], items[2]]`)] },
    })
    expect((await stage.ralph('build', 'x')).code).toBe(0)
    expect(stage.names()).toEqual(['plan', '#1', '#4', '#2', '#3'])
    expect(stage.list().map(({ id }) => id)).toEqual(['#1', '#4', '#2', '#3'])
    expect(stage.edits()).toMatchObject([
      { by: 'agent', list: { add: [{ task: { id: '#4' }, after: '#1' }] } },
    ])
    expect(stage.warnings().filter(note => note.includes('#'))).toEqual([])
    const calls = stage
      .session('agent-calls.jsonl')
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(calls.filter(({ kind }) => kind === 'todo-sync')).toMatchObject([
      { step: 2, iteration: 2, list: { add: [{ task: { id: '#4' }, after: '#1' }] } },
    ])
    expect(stage.session('progress.txt')).toMatch(
      /## List changed by the agent \(.*\)\n- Added #4: Make part 4\n/,
    )
  })

  it('may reorder it', async () => {
    const stage = setBuild({ plan: three, work: { '#1': [changes('[items[0], items[2], items[1]]')] } })
    expect((await stage.ralph('build', 'x')).code).toBe(0)
    expect(stage.names()).toEqual(['plan', '#1', '#3', '#2'])
  })

  it('may say that its own task is completed', async () => {
    const stage = setBuild({
      work: { '#1': [changes(`items.map((i, n) => n ? i : {...i, status: 'completed'})`)] },
    })
    expect((await stage.ralph('build', 'x')).code).toBe(0)
    expect(stage.warnings().filter(note => note.includes('#'))).toEqual([])
  })

  it('neither completes nor removes the others: they are put back, it is said, and the next one is told', async () => {
    const body = `[items[0], {...items[1], status: 'completed'}]`
    const stage = setBuild({ plan: three, work: { '#1': [changes(body)] } })
    const ran = await stage.ralph('build', 'x')
    expect([ran.code, stage.names()]).toEqual([0, ['plan', '#1', '#2', '#3']])
    const told = ['#2 was marked completed, but only #1 was worked on.', '#3 was removed; it is put back.']
    for (const words of told) {
      expect(ran.stderr).toContain(`ralph: warning: ${words}`)
      expect(stage.promptOf('#2')).toContain(`- ${words}`)
      expect(stage.promptOf('#3')).not.toContain(words)
    }
    expect(stage.warnings().slice(-2)).toEqual(told)
    expect(statuses(stage.list())).toEqual(['#1 completed', '#2 completed', '#3 completed'])
  })

  it('and then the run ends: the next one is told all the same, once it goes on', async () => {
    const stage = setBuild({ plan: three, work: { '#1': [changes('[items[0], items[1]]')] } })
    expect((await stage.ralph('build', 'x', '-m', '2')).code).toBe(1)
    expect(stage.names()).toEqual(['plan', '#1'])
    expect((await stage.ralph('resume', '-m', '9')).code).toBe(0)
    const told = '- #3 was removed; it is put back.'
    expect(stage.promptOf('#2')).toContain(told)
    expect(stage.promptOf('#3')).not.toContain(told)
  })

  it('and whose task fails is not accused of removing the bug fix that it never saw', async () => {
    const more = `{ content: 'Make part 2', status: 'pending', activeForm: 'x' }`
    const stage = setBuild({
      plan: [plans(item(1))],
      work: { '#1': [[['list', `[...items, ${more}]`], ...says('<failed>no</failed>')], says('Made it.')] },
    })
    expect((await stage.ralph('build', 'x')).code).toBe(0)
    expect(stage.names()).toEqual(['plan', '#1', 'bug', '#1', '#2'])
    expect(stage.warnings().filter(note => note.includes('#'))).toEqual([])
  })

  it('adds its task also where the id was taken meanwhile, by ralph or by a person', async () => {
    const mine = (id: string) => `{ id: '${id}', content: 'Mine ${id}', status: 'pending', activeForm: 'x' }`
    const body = `[...items, ${mine('#2')}, ${mine('#1-bug-1')}]`
    const stage = setBuild({
      plan: [plans(item(1))],
      work: {
        '#1': [
          [['file', 'begun', ''], ['await', '../go'], ['list', body], ...says('<failed>no</failed>')],
          says('Made it.'),
        ],
      },
    })
    const run = stage.start('build', 'x')
    await soon(() => existsSync(join(stage.project, 'begun')))
    expect((await stage.ralph('todo', stage.id(), 'add', 'Theirs')).code).toBe(0)
    stage.write('../go', '')
    expect((await run.ended).code).toBe(0)
    const contents = stage.list().map(({ content }) => content)
    expect(contents.sort()).toEqual(['Fix: no', 'Make part 1', 'Mine #1-bug-1', 'Mine #2', 'Theirs'])
  })

  it('by rewriting a task has that put back, and the next one is told', async () => {
    const stage = setBuild({ work: { '#1': [changes(`[items[0], {...items[1], content: 'Easier'}]`)] } })
    expect((await stage.ralph('build', 'x')).code).toBe(0)
    expect(stage.list()[1]!.content).toBe('Make part 2')
    expect(stage.warnings()).toContain('#2 was rewritten; it is put back.')
    expect(stage.promptOf('#2')).toContain('- #2 was rewritten; it is put back.')
  })

  it('so that it cannot be read has it kept beside, and the last good one stands', async () => {
    const stage = setBuild({ work: { '#1': [changes(`'[{'`)] } })
    const ran = await stage.ralph('build', 'x')
    expect([ran.code, stage.names()]).toEqual([0, ['plan', '#1', '#2']])
    expect(ran.stderr).toMatch(
      /tasks\.json could not be used \(it is not valid JSON.*kept as \.ralph\/\S+tasks\.json\.broken-1/,
    )
    expect(stage.session('tasks.json.broken-1')).toBe('[{')
  })

  /** A build whose first agent leaves something else where a file of the session was. */
  async function leaving(what: string) {
    const stage = setStage()
    stage.write('list.md', '- [ ] one\n- [ ] two\n')
    const agent = `cat >/dev/null; [ -e left ] || { cd .ralph/sessions/*/; ${what}; cd -; : >left; }; echo ok`
    const running = stage.start('build', '--tasks', 'list.md', '--', 'sh', '-c', agent)
    // Whoever waits at a pipe hears no signal but this one.
    const late = setTimeout(() => running.kill('SIGKILL'), 10_000)
    onTestFinished(() => clearTimeout(late))
    return { stage, ran: await running.ended }
  }

  it.each([
    ['a pipe for the list', 'rm tasks.json; mkfifo tasks.json'],
    ['a folder for the list', 'rm tasks.json; mkdir tasks.json; : >tasks.json/x'],
    ['a link to itself for the list', 'ln -sf tasks.json tasks.json'],
    ['a pipe for the progress', 'rm progress.txt; mkfifo progress.txt'],
    ['a folder for the progress', 'rm progress.txt; mkdir progress.txt'],
    ['a pipe for a log', 'rm iterations.log; mkfifo iterations.log'],
  ])('and leaves %s has the file put back', async (_, what) => {
    const { stage, ran } = await leaving(what)
    expect([ran.code, ran.signal]).toEqual([0, null])
    expect(JSON.parse(stage.session('tasks.json'))).toMatchObject([
      { id: '#1', status: 'completed' },
      { id: '#2', status: 'completed' },
    ])
    expect(stage.session('progress.txt')).toMatch(/## Iteration 1 .*## Iteration 2 .*## End: complete/s)
  })
})

describe('a person who changes the list', () => {
  /** A build that stands still before its second task, and what becomes of it once the list was changed. */
  async function between(change: (text: string) => string, settings: unknown = GREEN) {
    const stage = setBuild({ plan: three, settings })
    await stage.ralph('build', 'x', '-m', '2')
    writeFileSync(stage.at('tasks.json'), change(stage.session('tasks.json')))
    const ran = await stage.ralph('resume', '-m', '9')
    return { stage, ran }
  }
  const items = (change: (list: Record<string, unknown>[]) => unknown) => (text: string) =>
    JSON.stringify(change(JSON.parse(text)))

  it('adds, removes, rewords and completes tasks, as one event on record', async () => {
    const { stage, ran } = await between(
      items(([one, two]) => [
        one,
        { ...two, status: 'completed' },
        { content: 'Make part 4', status: 'pending', activeForm: 'x' },
      ]),
    )
    expect([ran.code, stage.names()]).toEqual([0, ['plan', '#1', '#4']])
    expect(stage.edits()).toMatchObject([
      {
        by: 'person',
        list: { add: [{ task: { id: '#4' } }], remove: ['#3'] },
        state: { '#2': { stage: 'done' } },
      },
    ])
    expect(stage.session('progress.txt')).toMatch(
      /## List changed by a person \(.*\)\n- Added #4: Make part 4\n- Removed #3: Make part 3\n- #2 is now completed\n/,
    )
    expect(stage.ending()).toMatchObject({ proof: 'claimed' })
  })

  it('adds in a few words, under whatever name, and after whatever does not exist', async () => {
    const { stage, ran } = await between(
      items(list => [...list, { id: 'plan', content: 'Make part 4', blockedBy: ['#9'] }]),
    )
    expect([ran.code, stage.names()]).toEqual([0, ['plan', '#1', '#2', '#3', '#4']])
    expect(ran.stderr).toContain('#4 does not wait for #9, which is not in the list.')
    expect(stage.list().at(-1)).toMatchObject({ id: '#4', activeForm: 'Make part 4' })
  })

  it('reopens a task by the exact list of before', async () => {
    const { stage, ran } = await between(text => text.replace('"completed"', '"pending"'))
    expect([ran.code, stage.names()]).toEqual([0, ['plan', '#1', '#1', '#2', '#3']])
  })

  it('so that it cannot be read has it kept beside, and the last good one stands', async () => {
    const { stage, ran } = await between(text => text.replace('"#2"', '"#1"'))
    expect([ran.code, stage.names()]).toEqual([0, ['plan', '#1', '#2', '#3']])
    expect(ran.stderr).toMatch(/tasks\.json could not be used \(task #1: id is used more than once/)
    expect(stage.session('tasks.json.broken-1')).toContain('"#1"')
    expect(stage.edits()).toEqual([])
  })

  it('while an agent works is taken for that agent, and told so', async () => {
    const stage = setBuild({
      plan: three,
      work: { '#1': [[['file', 'begun', ''], ['await', '../go'], ...says('Made it.')]] },
    })
    const run = stage.start('build', 'x')
    await soon(() => existsSync(join(stage.project, 'begun')))
    const list = JSON.parse(readFileSync(stage.at('tasks.json'), 'utf8'))
    expect(list[0].status).toBe('in_progress')
    writeFileSync(stage.at('tasks.json'), JSON.stringify(list.slice(0, 2)))
    stage.write('../go', '')
    const ran = await run.ended
    expect([ran.code, stage.names()]).toEqual([0, ['plan', '#1', '#2', '#3']])
    expect(ran.stderr).toContain('#3 was removed; it is put back.')
  })

  it('and does everything that is left ends the build, and the file has it', async () => {
    const { stage, ran } = await between(
      items(list => list.map(task => ({ ...task, status: 'completed', blockedBy: ['#1'] }))),
    )
    expect([ran.code, stage.names()]).toEqual([0, ['plan', '#1']])
    expect(statuses(stage.list())).toEqual(['#1 completed', '#2 completed', '#3 completed'])
    expect(stage.list().some(task => task.blockedBy)).toBe(false)
  })

  it.each([
    ['goes on with what they put in', []],
    ['does not write over what they put in', ['todo', 'add', 'Make part 5']],
  ])('may take everything out of it, and later fill it again: ralph %s', async (_, [verb, ...words]) => {
    const stage = setStage()
    stage.write('list.md', '- [ ] one\n- [ ] two\n')
    const agent = ['--', 'sh', '-c', 'cat >/dev/null; echo ok']
    await stage.ralph('build', '--tasks', 'list.md', '-m', '1', ...agent)
    const id = basename(stage.runs()[0]!)
    const path = join(stage.project, '.ralph', 'sessions', id, 'tasks.json')
    writeFileSync(path, '[]')
    expect((await stage.ralph('resume', '-m', '9')).stdout).toContain('blocked: the list is empty')
    expect((await stage.ralph('todo', id)).stdout).toBe('the list is empty\n')
    writeFileSync(path, '[{ "content": "Make part 4" }]')
    if (verb) await stage.ralph(verb, id, ...words)
    expect((await stage.ralph('resume', '-m', '9')).code).toBe(0)
    expect(JSON.parse(stage.session('tasks.json'))).toMatchObject([
      { content: 'Make part 4', status: 'completed' },
      ...(verb ? [{ content: 'Make part 5', status: 'completed' }] : []),
    ])
  })
})
