import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readJournal } from '../../src/store/journal.ts'
import { story } from '../cli/stories-stage.ts'
import { hasTmux } from '../support/terminal.ts'
import { until } from '../support/until.ts'
import { setWorkers } from './scene.ts'

type Scene = ReturnType<typeof setWorkers>

async function initStories({ ralph, read, write, project }: Scene): Promise<void> {
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=me', '-c', 'user.email=me@x', ...words], { cwd: project })
  git('commit', '-q', '--allow-empty', '-m', 'first')
  await ralph('init', 'stories', '--name', 'cart')
  write(
    'ralph/tasks.json',
    JSON.stringify({ ...JSON.parse(read('ralph/tasks.json')), userStories: [story('US-001')] }),
  )
}

async function importTasks({ ralph, write }: Scene): Promise<void> {
  const completion = {
    outcome: 'it works',
    acceptance_criteria: ['it does'],
    coder: { verification_method: 'string_match' },
  }
  write('tasks.json', JSON.stringify([{ id: 'T1', title: 'Validate tokens', completion }]))
  await ralph('task', 'import', 'tasks.json', '--spec', 'auth')
}

describe.skipIf(!hasTmux)('every workflow can be a worker', () => {
  it.each<[string, string, (scene: Scene) => unknown, string[]]>([
    ['run', 'run', () => {}, ['run', '--detach', '-f', 'PROMPT.md']],
    ['build', 'build', () => {}, ['spawn', 'build', 'Add a cart']],
    [
      'build',
      'build',
      ({ write }) => write('TODO.md', '- [ ] a cart\n'),
      ['build', '--tasks', 'TODO.md', '--detach'],
    ],
    ['stories', 'stories', initStories, ['spawn', 'stories']],
    ['stories', 'stories', initStories, ['stories', '--detach']],
    ['pipeline', 'pipeline', importTasks, ['spawn', 'pipeline']],
  ])('%s (%s): %s', async (command, workflow, prepare, words) => {
    const scene = setWorkers({
      calls: [
        [
          ['pid', '../agent.pid'],
          ['await', '../go'],
        ],
      ] as never,
    })
    await prepare(scene)
    const ran = await scene.ralph(...words, '--name', 'agent')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^spawned agent \(tmux: ralph:agent\) \[ralph mode: iteration 1(?:\/\d+)?\]\n/)
    await until(() => scene.agentPids()[0])
    const [listed] = JSON.parse((await scene.ralph('ls', '--format', 'json')).stdout)
    expect(listed).toMatchObject({ name: 'agent', status: 'running', command, iteration: 1 })
    const { run } = scene.record('agent')
    expect(readJournal(join(scene.home, 'runs', run))[0]).toMatchObject({ type: 'began', workflow })
    const log = readFileSync(scene.file('agent', 'iterations.log'), 'utf8')
    expect(log).toContain('[START] iteration 1')
    expect((await scene.ralph('kill', 'agent')).code).toBe(0)
    expect(scene.state('agent').status).toBe('stopped')
  })
})
