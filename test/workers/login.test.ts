import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isAlive } from '../../src/runners/process/proc.ts'
import { readJournal } from '../../src/store/journal.ts'
import { saying } from '../support/agent-script.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { until } from '../support/until.ts'
import { familyOf, heldTmux, setWorkers, signalAll } from './scene.ts'

/** Both save by another file that takes the place of the first. */
const EDIT = existsSync('/usr/bin/vim')
  ? `vim -u NONE -N --cmd 'set backupcopy=no' -c '%s/"max_iterations": 2/"max_iterations": 3/' -c wq`
  : `sed -i 's/"max_iterations": 2/"max_iterations": 3/'`

describe.skipIf(!hasTmux)('a worker of a login shell', () => {
  it('paused while it starts, through a logout, a closed window and an edit in vim, has one count', async () => {
    const scene = setWorkers({
      calls: [[['pid', '../agent.pid'], saying('ok')]],
    })
    writeFileSync(join(scene.bin, 'ralph'), `#!/bin/sh\nexec ${process.execPath} ${RALPH} "$@"\n`, {
      mode: 0o755,
    })
    // The system's own profile sets another PATH.
    writeFileSync(join(scene.env.HOME, '.bash_profile'), `export PATH=${scene.env.PATH}\n`)
    const logIn = () => openTerminal(['bash', '-l'], { cwd: scene.project, env: scene.env })
    const letGo = heldTmux(scene)
    const first = await logIn()
    await first.type('ralph spawn --name agent -f PROMPT.md -m 2 &', 'Enter')
    const supervisor = await until(() => scene.record('agent')?.supervisor)
    await first.type('ralph pause agent', 'Enter')
    await first.waitFor('paused ralph loop for agent')
    letGo()
    await first.waitFor('spawned agent (tmux: ralph:agent) [ralph mode: iteration 1/2]')

    await first.close()
    const server = Number(scene.tmux('display-message', '-p', '#{pid}'))
    signalAll([...familyOf(server), ...familyOf(supervisor.pid)], 'SIGHUP')
    spawnSync('tmux', ['-S', join(scene.home, 'tmux.sock'), 'kill-window', '-t', '=ralph:=agent'])

    const second = await logIn()
    await second.type('ralph ls', 'Enter')
    await second.waitFor(/agent +paused +0\/2/)
    expect(isAlive(supervisor)).toBe(true)
    await second.type(`${EDIT} ~/.ralph/workers/agent/state.json; echo edited=$?`, 'Enter')
    await second.waitFor('edited=0')
    const { run } = scene.record('agent')
    const events = () => readJournal(join(scene.home, 'runs', run))
    await until(() => events().some(e => e.type === 'limits'), 'the new limit')
    await second.type('ralph resume agent', 'Enter')
    await second.waitFor('resumed ralph loop for agent')
    await second.type('ralph wait agent; echo waited=$?', 'Enter')
    await second.waitFor('waited=0')

    expect(scene.state('agent')).toMatchObject({ status: 'stopped', max_iterations: 3, current_iteration: 3 })
    expect(scene.agentPids()).toHaveLength(3)
    expect(events().filter(e => e.type === 'started')).toHaveLength(3)
    expect(events().find(e => e.type === 'limits')).toMatchObject({ by: 'file', limits: { iterations: 3 } })
    const starts = (text: string, start: string) => text.split('\n').filter(line => line.includes(start))
    const { stdout } = await scene.ralph('logs', 'agent')
    expect(starts(stdout, 'starting iteration')).toEqual(
      [1, 2, 3].map(n => `[ralph] agent: starting iteration ${n}/3`),
    )
    expect(starts(scene.readFile('agent', 'iterations.log'), '[START]')).toHaveLength(3)
    expect(stdout).toContain('[ralph] agent: loop complete after 3 iterations\n')
    expect(scene.readFile('agent', 'iterations.log')).toContain('[DONE] loop complete after 3 iterations\n')
  })
})
