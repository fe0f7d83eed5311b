import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isAlive, processRef } from '../../src/runners/process/proc.ts'
import { sendControl } from '../../src/store/control.ts'
import { readJournal } from '../../src/store/journal.ts'
import { eventsOf, refusal } from '../cli/scene.ts'
import { scratch } from '../support/scratch.ts'
import { hasTmux } from '../support/terminal.ts'
import { until } from '../support/until.ts'
import { HELD, heldTmux, SPAWN, setWorkers } from './scene.ts'

describe.skipIf(!hasTmux)('a worker whose process is killed', () => {
  it('is crashed, leaves no agent behind, and goes on when it is resumed', async () => {
    const scene = setWorkers({ calls: HELD })
    await scene.ralph(...SPAWN, '-m', '2')
    const pid = await until(() => scene.agentPids()[0])
    const agent = processRef(pid)
    process.kill(scene.record('agent').supervisor!.pid, 'SIGKILL')
    await until(() => !isAlive(agent), 'the end of the agent')
    expect((await scene.ralph('ls')).stdout).toMatch(/agent +crashed +1\/2/)
    expect((await scene.ralph('pause', 'agent')).stderr).toContain("worker 'agent' is crashed")
    expect((await scene.ralph(...SPAWN)).stderr).toContain('ralph resume agent')
    scene.go('go')
    expect((await scene.ralph('resume', 'agent')).stdout).toBe('resumed ralph loop for agent\n')
    expect((await scene.ended('agent')).code).toBe(0)
    expect(scene.state('agent')).toMatchObject({ status: 'stopped', current_iteration: 2 })
  })

  it('does not go on once it was undone: it is spawned again', async () => {
    const scene = setWorkers({ calls: [[['file', 'made', ''], ...HELD[0]!]] })
    await scene.ralph(...SPAWN, '-m', '2')
    const agent = processRef(await until(() => scene.agentPids()[0]))
    process.kill(scene.record('agent').supervisor!.pid, 'SIGKILL')
    await until(() => !isAlive(agent), 'the end of the agent')
    expect((await scene.ralph('undo', 'agent', '--yes')).code).toBe(0)
    const ran = await scene.ralph('resume', 'agent')
    expect([ran.code, ran.stderr]).toEqual([
      2,
      "ralph: error: worker 'agent' was undone; start it again with: ralph spawn --name agent …\n",
    ])
    scene.go('go')
    expect((await scene.ralph(...SPAWN, '-m', '1')).code).toBe(0)
    expect((await scene.ended('agent')).code).toBe(0)
  })

  it('does not go with its agent, its window or its tmux server', async () => {
    const scene = setWorkers({ calls: HELD })
    await scene.ralph(...SPAWN, '-m', '2')
    const pid = await until(() => scene.agentPids()[0])
    scene.tmux('kill-window', '-t', '=ralph:=agent')
    spawnSync('tmux', ['-S', join(scene.home, 'tmux.sock'), 'kill-server'])
    process.kill(pid, 'SIGKILL')
    scene.go('go')
    await scene.logged('agent', 'iteration 1 failed (exit: SIGKILL), retrying in 1s (attempt 1/5)')
    expect((await scene.ended('agent')).code).toBe(0)
  })

  it('by SIGTERM lets its agent finish, is paused, and goes on', async () => {
    const scene = setWorkers({ calls: HELD })
    await scene.ralph(...SPAWN, '-m', '2')
    await until(() => existsSync(join(scene.root, 'agent.pid')))
    const { pid } = scene.record('agent').supervisor!
    process.kill(pid, 'SIGHUP')
    process.kill(pid, 'SIGTERM')
    scene.go('go')
    await until(() => !isAlive(scene.record('agent').supervisor!))
    expect(scene.state('agent')).toMatchObject({ status: 'paused', current_iteration: 1 })
    expect((await scene.ralph('ls')).stdout).toMatch(/agent +paused +1\/2/)
    await scene.ralph('resume', 'agent')
    expect((await scene.ended('agent')).code).toBe(0)
  })
})

describe.skipIf(!hasTmux)('a name', () => {
  it('is used again once its worker has ended, and a request to the earlier one is refused and told', async () => {
    const scene = setWorkers({ calls: HELD.slice(0, 1) })
    await scene.ralph(...SPAWN, '-m', '1')
    const first = scene.record('agent')
    expect((await scene.ralph(...SPAWN)).stderr).toContain("worker 'agent' is running; choose another --name")
    await scene.ralph('kill', 'agent')
    await scene.ralph(...SPAWN, '-m', '2')
    const second = scene.record('agent')
    expect(second.run).not.toBe(first.run)
    expect(existsSync(join(scene.home, 'workers', '.ended', `agent@${first.run}`))).toBe(true)
    sendControl(join(scene.home, 'runs', second.run), { type: 'cancel' }, Date.now(), {
      to: first.supervisor!,
    })
    await scene.logged('agent', 'was meant for an earlier process of this run, and is ignored')
    expect((await scene.ralph('ls')).stdout).toMatch(/agent +running/)
    expect((await scene.ralph('kill', 'agent')).code).toBe(0)
    expect((await scene.ralph('rm', 'agent')).code).toBe(0)
    expect(existsSync(join(scene.home, 'workers', '.ended', `agent@${first.run}`))).toBe(false)
  })

  it.each([
    ['a.b', 'must begin with a letter or a digit'],
    ['../x', 'must begin with a letter or a digit'],
    ['-x', 'must begin with a letter'],
    ['12', 'needs a letter'],
    ['20260301-221530-k3f', 'looks like the id of a run'],
    ['x'.repeat(41), 'longer than 40'],
  ])('%s is refused', async (name, why) => {
    const scene = setWorkers()
    expect(await scene.ralph('spawn', `--name=${name}`, '-f', 'PROMPT.md')).toMatchObject(refusal(why))
    expect(existsSync(join(scene.home, 'workers'))).toBe(false)
  })

  it('alone starts nothing: there is no prompt', async () => {
    const scene = setWorkers()
    expect(await scene.ralph('spawn')).toMatchObject(refusal('--prompt-file'))
    expect(existsSync(join(scene.home, 'workers'))).toBe(false)
  })

  it('is chosen by ralph if none is given, and a second worker in the same folder is told what to do', async () => {
    const scene = setWorkers({ calls: HELD })
    const ran = await scene.ralph('spawn', '-f', 'PROMPT.md', '-m', '1')
    const name = /^spawned (worker-[a-z\d]{3}) \(tmux: ralph:\1\)/.exec(ran.stdout)?.[1]
    expect(await scene.ralph('spawn', '--name', 'second', '-f', 'PROMPT.md')).toMatchObject(
      refusal(new RegExp(`worker '${name}' \\(pid \\d+\\) is already running in .*--shared`)),
    )
    expect((await scene.ralph('ls', '--format', 'names')).stdout).toBe(`${name}\n`)
    await scene.ralph('kill', name!)
  })
})

describe.skipIf(!hasTmux)('state.json', () => {
  it('with another max_iterations changes the limit at the next boundary, by an unknown hand', async () => {
    const scene = setWorkers({ calls: HELD })
    await scene.ralph(...SPAWN, '-m', '1', '--max-cost', '5')
    await until(() => existsSync(join(scene.root, 'agent.pid')))
    edit(scene, { max_iterations: 3 })
    const run = scene.record('agent').run
    const events = () => readJournal(join(scene.home, 'runs', run))
    await until(() => events().some(e => e.type === 'limits'))
    expect(events().find(e => e.type === 'limits')).toMatchObject({
      by: 'file',
      limits: { iterations: 3, usd: 5 },
    })
    scene.go('go')
    await scene.ended('agent')
    expect(scene.state('agent')).toMatchObject({ max_iterations: 3, current_iteration: 3, status: 'stopped' })
  })

  it('edited while its worker is gone counts when it is resumed', async () => {
    const scene = setWorkers({ calls: [[['claude', 'ok']]] })
    await scene.ralph(...SPAWN, '-m', '1')
    await scene.ended('agent')
    edit(scene, { max_iterations: 2 })
    expect((await scene.ralph('resume', 'agent')).code).toBe(0)
    await scene.ended('agent')
    expect(scene.state('agent')).toMatchObject({ max_iterations: 2, current_iteration: 2 })
    expect((await scene.ralph('set', 'agent', 'max-iterations=3')).code).toBe(0)
    await scene.ralph('resume', 'agent')
    await scene.ended('agent')
    expect(scene.readFile('agent', 'iterations.log')).toContain('[START] iteration 3/3')
  })

  it('that is broken is set aside and written again', async () => {
    const scene = setWorkers({ calls: HELD })
    await scene.ralph(...SPAWN, '-m', '1')
    await until(() => existsSync(join(scene.root, 'agent.pid')))
    writeFileSync(scene.file('agent', 'state.json'), '{"worker_name": ')
    await until(
      () => existsSync(scene.file('agent', 'state.json.broken')) && scene.readFile('agent', 'state.json'),
    )
    expect(scene.state('agent')).toMatchObject({ worker_name: 'agent', status: 'running' })
    scene.go('go')
    await scene.ended('agent')
    expect(scene.state('agent').status).toBe('stopped')
  })

  it('that is removed for good stops the worker, and one that an editor saves does not', async () => {
    const scene = setWorkers({ calls: HELD })
    await scene.ralph(...SPAWN, '-m', '2')
    await until(() => existsSync(join(scene.root, 'agent.pid')))
    const path = scene.file('agent', 'state.json')
    renameSync(path, `${path}~`)
    renameSync(`${path}~`, path)
    const { supervisor, run } = scene.record('agent')
    rmSync(join(scene.home, 'workers', 'agent'), { recursive: true })
    const stopped = () => readJournal(join(scene.home, 'runs', run)).findLast(e => e.type === 'stopped')
    setTimeout(() => scene.go('go'), 6000)
    await until(() => stopped() && !isAlive(supervisor!))
    expect(stopped()).toMatchObject({ why: 'interrupted' })
    expect(existsSync(join(scene.home, 'workers', 'agent'))).toBe(false)
  })

  const edit = (scene: ReturnType<typeof setWorkers>, change: object) =>
    writeFileSync(scene.file('agent', 'state.json'), JSON.stringify({ ...scene.state('agent'), ...change }))
})

describe.skipIf(!hasTmux)('the tmux server', () => {
  it("is ralph's own: the sessions and options of the user's server are not touched", async () => {
    const scene = setWorkers({ calls: HELD })
    const dir = scratch('ralph-user-tmux-')
    const user = (...words: string[]) =>
      execFileSync('tmux', ['-L', 'user', ...words], {
        encoding: 'utf8',
        env: { ...process.env, TMUX_TMPDIR: dir },
      })
    onTestFinished(() => void user('kill-server'))
    // With a name, because tmux would name the window after what runs in it, now and then.
    user(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-s',
      'ralph',
      '-n',
      'mine',
      ';',
      'set',
      '-g',
      'destroy-unattached',
      'off',
    )
    const before = [user('list-windows', '-a'), user('show-options', '-g')]
    const env = { ...scene.env, TMUX_TMPDIR: dir, TMUX: `${dir}/tmux-0/user,1,0` }
    expect((await scene.withEnv(env, ...SPAWN, '-m', '1')).code).toBe(0)
    expect(scene.windows()).toEqual(['agent'])
    expect((await scene.withEnv(env, 'kill', 'agent')).code).toBe(0)
    expect([user('list-windows', '-a'), user('show-options', '-g')]).toEqual(before)
  })

  it('carries neither the marks of a run nor the keys of an agent', async () => {
    const scene = setWorkers({ calls: HELD })
    const env = { ...scene.env, ANTHROPIC_API_KEY: 'dummy' }
    await scene.withEnv(env, ...SPAWN, '-m', '1')
    const shown = scene.tmux('show-environment', '-g')
    expect(shown).not.toMatch(/RALPH_|ANTHROPIC/)
    await scene.ralph('kill', 'agent')
  })

  it("reads the user's own configuration, and keeps what nobody looks at", async () => {
    const scene = setWorkers({ calls: HELD })
    writeFileSync(
      join(scene.env.HOME, '.tmux.conf'),
      'set -g status-left mine\nset -g destroy-unattached on\n',
    )
    await scene.ralph(...SPAWN, '-m', '1')
    expect(scene.tmux('show-options', '-g', 'status-left')).toContain('mine')
    expect(scene.windows()).toEqual(['agent'])
    await scene.ralph('kill', 'agent')
  })
})

describe.skipIf(!hasTmux)('a request to a worker that is starting', () => {
  it('counts: a pause is obeyed before the first agent', async () => {
    const scene = setWorkers({ calls: HELD })
    const letGo = heldTmux(scene)
    const starting = scene.start(...SPAWN, '-m', '2')
    await until(() => scene.record('agent')?.supervisor)
    expect((await scene.ralph('ls')).stdout).toMatch(/agent +starting/)
    expect((await scene.ralph('pause', 'agent')).stdout).toBe('paused ralph loop for agent\n')
    letGo()
    expect((await starting.ended).code).toBe(0)
    await until(async () => (await scene.ralph('ls')).stdout.includes('paused'))
    expect(existsSync(join(scene.root, 'agent.pid'))).toBe(false)
    await scene.ralph('resume', 'agent')
    await until(() => scene.agentPids()[0])
    await scene.ralph('kill', 'agent')
  })
})

describe.skipIf(!hasTmux)('ralph events', () => {
  it('shows what happened in all runs, as lines and as JSON', async () => {
    const scene = setWorkers({ calls: [[['claude', 'ok']]] })
    await scene.ralph(...SPAWN, '-m', '1')
    await scene.ended('agent')
    await scene.ralph('run', '-p', 'work', '-c', '', '--once')
    const { stdout } = await scene.ralph('events')
    expect(stdout).toMatch(/^\S+ agent \[BEGIN\] run in .*\n\S+ agent \[START\] iteration 1\/1\n/)
    expect(stdout).toMatch(/ agent \[DONE\] loop complete after 1 iteration\n\S+ \d{8}-\S+ \[BEGIN\]/)
    const events = eventsOf(await scene.ralph('events', '--json')) as {
      type: string
      worker?: string | null
    }[]
    expect(events.filter(e => e.type === 'began').map(e => e.worker)).toEqual(['agent', null])
  })
})
