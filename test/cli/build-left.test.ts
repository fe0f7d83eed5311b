import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { leftovers, soon } from '../support/killing.ts'
import { ending, setStage } from './scene.ts'

const items = ['#1', '#2', '#3'].map(id => ({
  id,
  content: `Do ${id}`,
  status: 'pending',
  activeForm: `Doing ${id}`,
}))
const [one, two, three] = items
const done = (item: object) => ({ ...item, status: 'completed' })

/** A build of three tasks, left by a signal while its first agent was at work, which had written this list (null: none). */
async function leave(signal: NodeJS.Signals, written: unknown) {
  const stage = setStage({ settings: { baseline: false, killGrace: 0.2 } })
  const given = join(stage.root, 'given.json')
  writeFileSync(given, JSON.stringify(items))
  writeFileSync(join(stage.root, 'written.json'), JSON.stringify(written))
  const writes = written === null ? '' : 'cp ../written.json .ralph/sessions/*/tasks.json;'
  const script = `[ -f ../begun ] || { ${writes} touch ../begun; sleep 1; }; grep -o "(#.)" >> ../worked; echo ok`
  const run = stage.start('build', '--tasks', given, '--', 'sh', '-c', script)
  expect(await soon(() => existsSync(join(stage.root, 'begun')))).toBe(true)
  run.kill(signal)
  await run.ended
  await soon(() => leftovers(stage.ralphHome).length === 0)
  const id = stage.runs()[0]!.split('/').at(-1)!
  const tasks = join(stage.project, '.ralph/sessions', id, 'tasks.json')
  return {
    ...stage,
    id,
    todo: (...words: string[]) => stage.ralph('todo', id, ...words),
    goOn: () => stage.ralph('resume', id),
    list: (): { id: string; status: string }[] => JSON.parse(readFileSync(tasks, 'utf8')),
    write: (list: unknown) => writeFileSync(tasks, JSON.stringify(list)),
    worked: () => [...new Set(readFileSync(join(stage.root, 'worked'), 'utf8').trim().split('\n'))],
  }
}

const ALL = ['(#1)', '(#2)', '(#3)']

describe('what an agent wrote into the list before the build was left', () => {
  it.each(['SIGINT', 'SIGHUP', 'SIGKILL'] as const)('by %s is no word of a person’s', async signal => {
    const stage = await leave(signal, [done(one!)])
    expect(await stage.todo('edit', '#2', 'Do it better')).toMatchObject(ending(0, /#1[\s\S]*#2[\s\S]*#3/))
    expect(stage.list().map(({ id }) => id)).toEqual(['#1', '#2', '#3'])
    expect(stage.list().map(({ status }) => status)).not.toContain('completed')
    expect((await stage.goOn()).code).toBe(0)
    expect(stage.worked()).toEqual(ALL)
  })

  it.each(['SIGINT', 'SIGHUP', 'SIGKILL'] as const)('by %s counts as far as it may', async signal => {
    const more = { id: '#4', content: 'Do #4', status: 'pending', activeForm: 'Doing #4' }
    const stage = await leave(signal, [...items, more])
    expect((await stage.todo('skip', '#2')).stdout).toContain('#4')
    expect((await stage.goOn()).code).toBe(0)
    expect(stage.worked()).toEqual(['(#1)', '(#3)', '(#4)'])
  })
})

describe('what a person wrote into the list after the build was left', () => {
  it.each(['SIGINT', 'SIGHUP'] as const)('by %s stands', async signal => {
    const stage = await leave(signal, null)
    stage.write([stage.list()[0], done(three!)])
    const ran = await stage.goOn()
    expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining('was marked completed')])
    expect([stage.worked(), stage.list().map(({ id }) => id)]).toEqual([['(#1)'], ['#1', '#3']])
  })

  it('after a crash cannot be told from the agent’s: it is judged as that, with a warning', async () => {
    const stage = await leave('SIGKILL', null)
    stage.write([one, done(two!), three])
    const ran = await stage.goOn()
    expect(ran.stderr).toContain('#2 was marked completed, but only #1 was worked on')
    expect(stage.worked()).toEqual(ALL)
  })
})

describe('several who change the list of a build that is left', () => {
  it('at once are refused or heard, and nothing of what is heard is lost', async () => {
    const stage = await leave('SIGINT', null)
    const words = ['one', 'two', 'three', 'four'].map(text => `Say ${text}`)
    const ran = await Promise.all(words.map(text => stage.spawn('todo', stage.id, 'add', text)))
    const heard = words.filter((_, place) => ran[place]!.code === 0)
    for (const { code, stderr } of ran)
      if (code !== 0)
        expect([code, stderr]).toEqual([2, expect.stringMatching(/already running|in use|held/)])
    const list = JSON.parse((await stage.todo('--json')).stdout) as { id: string; content: string }[]
    expect(
      list
        .slice(3)
        .map(({ content }) => content)
        .sort(),
    ).toEqual(heard.sort())
    expect(new Set(list.map(({ id }) => id)).size).toBe(list.length)
  })
})
