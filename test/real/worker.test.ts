import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startMockModel } from '../support/loopback-model.mjs'
import { RALPH, startRalph } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { until } from '../support/until.ts'
import { setWorkers } from '../workers/scene.ts'
import { BIN, CLIS } from './clis.ts'

const PLUGIN = join(import.meta.dirname, '..', '..', 'plugin')
const { env: pointedAt, shell, model } = CLIS.claude!

describe.skipIf(!hasTmux || !existsSync(join(BIN, 'claude')))('the real claude as a worker', () => {
  it('is spawned, attached to, paused, gets another prompt, is resumed, followed, and ends by its pattern', async () => {
    const scene = setWorkers()
    const mock = await startMockModel({
      turns: [
        {
          text: 'Looking at the plan.',
          tools: [shell('until [ -e ../go ]; do sleep 0.1; done; echo a > a.txt')],
        },
        { text: 'Task A is done.' },
        { text: 'On to the next.', tools: [shell('echo b > b.txt')] },
        { text: 'All tasks complete.' },
      ],
    })
    onTestFinished(() => mock.close())
    const env = { ...scene.env, PATH: `${BIN}:${scene.env.PATH}`, ...pointedAt(mock.url) }
    const ralph = (...words: string[]) => scene.withEnv(env, ...words)
    const options = ['-m', '5', '--model', model, '--done-pattern', 'All tasks complete']
    const spawned = await ralph('spawn', '--name', 'agent', '-f', 'PROMPT.md', ...options, '--', 'claude')
    expect(spawned).toMatchObject({ code: 0, stderr: '' })
    expect(spawned.stdout).toContain('spawned agent (tmux: ralph:agent) [ralph mode: iteration 1/5]\n')

    const window = await openTerminal([process.execPath, RALPH, 'attach', 'agent'], {
      cwd: scene.project,
      env,
    })
    await window.waitFor('Looking at the plan.')
    await window.press('C-b', 'd')
    expect((await window.ended()).code).toBe(0)

    expect((await ralph('pause', 'agent')).stdout).toBe('paused ralph loop for agent\n')
    scene.write('PROMPT.md', 'Do task B\n')
    scene.go('go')
    await scene.logged('agent', '[ralph] agent: iteration 1 completed (exit: 0, duration: ')
    expect((await ralph('ls')).stdout).toMatch(/agent +paused +1\/5/)

    const following = startRalph(['logs', 'agent', '-f'], { cwd: scene.project, env })
    expect((await ralph('resume', 'agent')).stdout).toBe('resumed ralph loop for agent\n')
    expect((await ralph('wait', 'agent')).code).toBe(0)
    const { stdout } = await following.ended
    expect(stdout).toContain('[ralph] agent: starting iteration 2/5\n')
    expect(stdout).toContain('On to the next.')
    expect(stdout).toContain('[ralph] agent: done pattern matched, stopping loop\n')
    expect(scene.state('agent')).toMatchObject({ status: 'stopped', current_iteration: 2, total_failures: 0 })
    expect([scene.read('a.txt'), scene.read('b.txt')]).toEqual(['a\n', 'b\n'])
    const asked = mock.requests.filter(r => r.kind === 'main').map(r => JSON.stringify(r.body))
    expect(asked.map(text => text.includes('Do task B'))).toEqual([false, false, true, true])
  })

  it('in a script of the user’s own is known by the hooks of the plugin, also past a command that fails', async () => {
    const scene = setWorkers()
    const mock = await startMockModel({
      turns: [
        { text: 'Testing.', tools: [shell('false')] },
        { text: 'Once more.', tools: [shell('until [ -e ../go ]; do sleep 0.1; done')] },
        { text: 'All tasks complete.' },
      ],
    })
    onTestFinished(() => mock.close())
    // A command that ralph does not know gets no key from it.
    const settings = Object.entries({ IS_SANDBOX: '1', ...pointedAt(mock.url) })
      .map(([name, value]) => `${name}='${value}'`)
      .join(' ')
    const flags = `-p --dangerously-skip-permissions --model ${model} --plugin-dir '${PLUGIN}'`
    writeFileSync(
      join(scene.bin, 'my-agent'),
      `#!/bin/sh\necho begin\nexport ${settings}\nexec claude ${flags}\n`,
      {
        mode: 0o755,
      },
    )
    const env = { ...scene.env, PATH: `${BIN}:${scene.env.PATH}` }
    const ralph = (...words: string[]) => scene.withEnv(env, ...words)
    const asked = ['-f', 'PROMPT.md', '-m', '1', '--inactivity-timeout', '20', '--', 'my-agent']
    expect(await ralph('spawn', '--name', 'agent', ...asked)).toMatchObject({ code: 0, stderr: '' })
    const status = async () => (await ralph('status', 'agent')).stdout
    await until(async () => /^Now: Bash\(until .*\) by hooks\nKnown by: hooks$/m.test(await status()))
    scene.go('go')
    expect((await ralph('wait', 'agent')).code).toBe(0)
    const { stdout } = await ralph('logs', 'agent')
    expect(stdout.match(/Bash\(.*\) by hooks$/gm)).toEqual([
      'Bash(false) by hooks',
      expect.stringMatching(/^Bash\(until /),
    ])
    expect(stdout).toContain('All tasks complete.')
  })
})
