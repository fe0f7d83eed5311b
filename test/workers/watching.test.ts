import { renameSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { saying } from '../support/agent-script.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { until } from '../support/until.ts'
import { SPAWN, setWorkers } from './scene.ts'

describe.skipIf(!hasTmux)('whoever looks at a worker', () => {
  it('Live Agent View: sees the agent at work by attach, inside tmux too, and leaves it with Ctrl+B D', async () => {
    const scene = setWorkers({
      calls: [[saying('looking around'), ['await', '../go']]],
    })
    await scene.ralph(...SPAWN, '-m', '1')
    await scene.logged('agent', 'looking around')
    const attach = (more: Record<string, string>) =>
      openTerminal([process.execPath, RALPH, 'attach', 'agent'], {
        cwd: scene.project,
        env: { ...scene.env, ...more },
      })
    for (const inside of [{}, { TMUX: `${scene.root}/other,1,0` }] as Record<string, string>[]) {
      // Somebody closed it: it is opened again.
      scene.tmux('kill-window', '-t', '=ralph:=agent')
      const terminal = await attach(inside)
      await terminal.waitFor('looking around')
      await terminal.press('C-b', 'd')
      expect((await terminal.ended()).code).toBe(0)
    }
    expect(scene.tmux('list-sessions', '-F', '#{session_name}').trim()).toBe('ralph')
    expect((await scene.ralph('ls')).stdout).toMatch(/agent +running +1\/1/)
    scene.go('go')
    expect((await scene.ended('agent')).code).toBe(0)
  })

  it('Log Streaming: misses no line by logs --follow, nor in the window, while a new log begins', async () => {
    const scene = setWorkers({
      calls: [
        [saying('from the first'), ['await', '../go']],
        [saying('from the second'), ['await', '../go2']],
        [['claude', 'from the third']],
      ],
    })
    await scene.ralph(...SPAWN, '-m', '3')
    const following = scene.start('logs', 'agent', '--follow')
    await scene.logged('agent', 'from the first')
    // As the worker itself does once the log is too long.
    renameSync(scene.file('agent', 'view.log'), scene.file('agent', 'view.log.1'))
    scene.go('go')
    await scene.logged('agent', 'from the second')
    await until(
      () => scene.tmux('capture-pane', '-p', '-t', '=ralph:=agent').includes('from the second'),
      'the second in the window',
    )
    const third = await scene.ralph('logs', 'agent', '--iteration', '3')
    expect(third).toMatchObject({ code: 2, stderr: expect.stringContaining('has no iteration 3 yet') })
    scene.go('go2')
    expect((await scene.ended('agent')).code).toBe(0)
    const { code, stdout } = await following.ended
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    for (const [n, word] of ['first', 'second', 'third'].entries()) {
      expect(lines.filter(line => line.includes(`from the ${word}`))).toHaveLength(1)
      expect(lines.filter(line => line.includes(`starting iteration ${n + 1}/3`))).toHaveLength(1)
    }
    expect(lines.at(-1)).toBe('[ralph] agent: loop complete after 3 iterations')
    const all = (await scene.ralph('logs', 'agent')).stdout
    expect(all).toBe(stdout)
    const second = (await scene.ralph('logs', 'agent', '--iteration', '2')).stdout
    expect(second).toMatch(/^\[ralph\] agent: starting iteration 2\/3\n/)
    expect(second).toContain('from the second')
    expect(second).not.toContain('from the third')
  })
})
