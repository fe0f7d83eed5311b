import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { saying } from '../support/agent-script.ts'
import { hasTmux } from '../support/terminal.ts'
import { until } from '../support/until.ts'
import { SPAWN, setWorkers, waits } from './scene.ts'

describe.skipIf(!hasTmux)('a worker', () => {
  it('Scenario: Basic ralph loop', async () => {
    const scene = setWorkers({
      calls: [[['stdin', 'got.txt'], saying('ok')]],
    })
    const ran = await scene.ralph(...SPAWN, '-m', '2', '--', 'claude')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^spawned agent \(tmux: ralph:agent\) \[ralph mode: iteration 1\/2\]\n/)
    expect(ran.stdout).toContain('ralph attach agent')
    expect((await scene.ended('agent')).code).toBe(0)
    expect(scene.windows()).toEqual(['agent'])
    expect(scene.read('got.txt')).toBe('Do task A\n')
    expect(scene.state('agent')).toEqual({
      worker_name: 'agent',
      prompt_file: join(scene.project, 'PROMPT.md'),
      max_iterations: 2,
      current_iteration: 2,
      status: 'stopped',
      started: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      last_iteration_started: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      consecutive_failures: 0,
      total_failures: 0,
      done_pattern: null,
      inactivity_timeout: 300,
    })
  })

  it('Scenario: Iteration restart on agent exit', async () => {
    const scene = setWorkers({
      calls: [[['claude', 'first']], waits('second')],
    })
    await scene.ralph(...SPAWN, '-m', '10')
    await scene.logged('agent', '[ralph] agent: iteration 1 completed (exit: 0, duration: ')
    await scene.logged('agent', '[ralph] agent: starting iteration 2/10')
    const [listed] = JSON.parse((await scene.ralph('ls', '--format', 'json')).stdout)
    expect(listed).toMatchObject({ name: 'agent', metadata: { ralph: true, ralph_iteration: 2 } })
    await scene.ralph('kill', 'agent')
  })

  it('Scenario: Inactivity timeout triggers restart', async () => {
    const scene = setWorkers({
      calls: [[['hang']], [['file', 'second.txt', 'x'], saying('ok')]],
    })
    await scene.ralph(...SPAWN, '-m', '2', '--inactivity-timeout', '1')
    expect((await scene.ended('agent')).code).toBe(0)
    expect(scene.readFile('agent', 'view.log')).toContain(
      '[ralph] agent: inactivity timeout (1s), restarting',
    )
    expect(scene.read('second.txt')).toBe('x')
    expect(scene.state('agent')).toMatchObject({ status: 'stopped', total_failures: 0 })
  })

  it('Scenario: Done pattern stops loop', async () => {
    const scene = setWorkers({ calls: [[['claude', 'more to do']], [['claude', 'All tasks complete']]] })
    await scene.ralph(...SPAWN, '-m', '5', '--done-pattern', 'All tasks complete')
    expect((await scene.ended('agent')).code).toBe(0)
    expect(scene.readFile('agent', 'view.log')).toContain(
      '[ralph] agent: done pattern matched, stopping loop',
    )
    expect(scene.state('agent')).toMatchObject({ status: 'stopped', current_iteration: 2 })
    expect(scene.state('agent').done_pattern).toBe('All tasks complete')
  })

  it('Scenario: Max iterations reached', async () => {
    const scene = setWorkers({ calls: [[['claude', 'ok']]] })
    await scene.ralph(...SPAWN, '-m', '3')
    expect((await scene.ended('agent')).code).toBe(0)
    expect(scene.readFile('agent', 'view.log')).toContain('[ralph] agent: loop complete after 3 iterations')
    expect(scene.state('agent').status).toBe('stopped')
    expect(
      scene
        .readFile('agent', 'iterations.log')
        .replaceAll(/^\S+ /gm, '')
        .replaceAll(/=\d+s$/gm, '=…'),
    ).toBe(`[START] iteration 1/3
[END] iteration 1 exit=0 duration=…
[START] iteration 2/3
[END] iteration 2 exit=0 duration=…
[START] iteration 3/3
[END] iteration 3 exit=0 duration=…
[DONE] loop complete after 3 iterations
`)
  })

  it('Scenario: Consecutive failures trigger backoff · Pausing during backoff wait immediately stops the wait', async () => {
    const scene = setWorkers({ calls: [[['exit', 1]], [['exit', 1]], [['exit', 1]], [['claude', 'ok']]] })
    await scene.ralph(...SPAWN, '-m', '6')
    await scene.logged('agent', '[ralph] agent: iteration 1 failed (exit: 1), retrying in 1s (attempt 1/5)')
    await scene.logged('agent', '[ralph] agent: iteration 2 failed (exit: 1), retrying in 2s (attempt 2/5)')
    // Not to wait: whoever resumes a waiting worker wants it to try now.
    await scene.ralph('resume', 'agent')
    await scene.logged('agent', '[ralph] agent: iteration 3 failed (exit: 1), retrying in 4s (attempt 3/5)')
    expect(scene.readFile('agent', 'iterations.log')).toContain(
      '[FAIL] iteration 3 exit=1 attempt 3/5 retry=4s',
    )
    const paused = await scene.ralph('pause', 'agent')
    expect(paused.stdout).toBe('paused ralph loop for agent\n')
    expect(scene.state('agent')).toMatchObject({
      status: 'paused',
      consecutive_failures: 3,
      total_failures: 3,
    })
    expect((await scene.ralph('status', 'agent')).stdout).toContain('Status: paused')
    await scene.ralph('resume', 'agent')
    await scene.logged('agent', '[ralph] agent: iteration 4 completed')
    await until(() => scene.state('agent').consecutive_failures === 0)
    expect(scene.state('agent').total_failures).toBe(3)
    await scene.ralph('kill', 'agent')
  })

  it('Scenario: Five consecutive failures stops loop', async () => {
    const scene = setWorkers({ calls: [[['exit', 1]]] })
    await scene.ralph(...SPAWN, '-m', '10')
    for (let n = 1; n <= 4; n++) {
      await scene.logged('agent', `attempt ${n}/5`)
      await scene.ralph('resume', 'agent')
    }
    expect((await scene.ended('agent')).code).toBe(1)
    expect(scene.readFile('agent', 'view.log')).toContain(
      '[ralph] agent: 5 consecutive failures, stopping loop',
    )
    expect(scene.state('agent').status).toBe('failed')
    expect((await scene.ralph('ls')).stdout).toMatch(/agent +failed +5\/10/)
  })

  it('Scenario: Pause ralph loop · Scenario: Resume paused ralph loop · Scenario: Ralph status check', async () => {
    const scene = setWorkers({
      calls: [waits(), [['await', '../go2'], saying('ok')]],
    })
    await scene.ralph(...SPAWN, '-m', '10')
    await scene.logged('agent', 'starting iteration 1/10')
    expect(await scene.ralph('resume', 'agent')).toMatchObject({
      code: 0,
      stderr: "ralph: warning: worker 'agent' is not paused\n",
    })
    expect(await scene.ralph('pause', 'agent')).toMatchObject({
      code: 0,
      stdout: 'paused ralph loop for agent\n',
    })
    expect(scene.state('agent')).toMatchObject({ status: 'paused', current_iteration: 1 })
    expect(await scene.ralph('pause', 'agent')).toMatchObject({
      code: 0,
      stderr: "ralph: warning: worker 'agent' is already paused\n",
    })
    expect(scene.readFile('agent', 'view.log')).toContain('; to go on: ralph resume agent')
    scene.go('go')
    await scene.logged('agent', 'iteration 1 completed')
    expect(scene.readFile('agent', 'view.log')).not.toContain('starting iteration 2')
    expect(await scene.ralph('resume', 'agent')).toMatchObject({ stdout: 'resumed ralph loop for agent\n' })
    await scene.logged('agent', '[ralph] agent: starting iteration 2/10')
    expect(scene.state('agent').status).toBe('running')
    const { stdout } = await scene.ralph('status', 'agent')
    expect(stdout).toMatch(
      /^Ralph Loop: agent\nStatus: running\nIteration: 2\/10\nStarted: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\nCurrent iteration started: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\nConsecutive failures: 0\nTotal failures: 0\nInactivity timeout: 300s\n/,
    )
    expect(await scene.ralph('kill', 'agent')).toMatchObject({ code: 0, stdout: 'killed agent\n' })
    expect(scene.state('agent').status).toBe('stopped')
    // It was killed in its second iteration, whatever that counts for.
    expect((await scene.ralph('ls')).stdout).toMatch(/^agent +stopped +2\/10 /m)
    expect((await scene.ralph('status', 'agent')).stdout).toContain('\nIteration: 2/10\n')
    expect(await scene.ralph('kill', 'agent')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: "ralph: warning: worker 'agent' has already ended\n",
    })
    expect((await scene.ralph('resume', 'agent')).stderr).toContain('ralph spawn --name agent')
  })

  it('Scenario: Prompt file edited mid-loop', async () => {
    const scene = setWorkers({
      calls: [
        [['stdin', 'one.txt'], ['await', '../go'], saying('ok')],
        [['stdin', 'two.txt'], saying('ok')],
      ],
    })
    await scene.ralph(...SPAWN, '-m', '2')
    await scene.logged('agent', 'starting iteration 1/2')
    await until(() => readdirSync(scene.project).includes('one.txt'))
    scene.write('PROMPT.md', 'Do task B\n')
    scene.go('go')
    await scene.ended('agent')
    expect([scene.read('one.txt'), scene.read('two.txt')]).toEqual(['Do task A\n', 'Do task B\n'])
  })

  it('Scenario: High iteration warning', async () => {
    const scene = setWorkers({ calls: [[['await', '../go']]] })
    const ran = await scene.ralph(...SPAWN, '-m', '51')
    expect(ran).toMatchObject({
      code: 0,
      stderr: 'ralph: warning: high iteration count (>50) may consume significant resources\n',
    })
    expect(ran.stdout).toContain('[ralph mode: iteration 1/51]')
    await scene.ralph('kill', 'agent')
  })

  it('Scenario: Missing prompt file', async () => {
    const scene = setWorkers()
    const words = ['spawn', '--name', 'agent', '-f', './missing.md', '-m', '10', '--', 'claude']
    const ran = await scene.ralph(...words)
    expect(ran).toMatchObject({ code: 2, stderr: 'ralph: error: prompt file not found: ./missing.md\n' })
    expect((await scene.ralph('ls', '--format', 'names')).stdout).toBe('')
  })

  it('Scenario: Ralph requires tmux', async () => {
    const scene = setWorkers()
    const env = { ...scene.env, PATH: scene.bin }
    const ran = await scene.withEnv(env, ...SPAWN, '-m', '10', '--', 'claude')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('workers need tmux, and it is not on PATH; install it')
    const here = await scene.ralph(...SPAWN, '-m', '1', '--foreground')
    expect(here).toMatchObject({ code: 0 })
    expect(here.stdout).toContain('[ralph] agent: loop complete after 1 iteration\n')
  })
})

describe.skipIf(!hasTmux)('the edges of a worker', () => {
  it('Empty prompt file is allowed · Prompt file can be absolute · done-pattern is a regex', async () => {
    const scene = setWorkers({
      calls: [
        [['stdin', 'got.txt'], saying('IMPLEMENTATION_PLAN.md is at 90%')],
        [['claude', 'IMPLEMENTATION_PLAN.md is at 100%']],
      ],
    })
    scene.write('PROMPT.md', '')
    const path = join(scene.project, 'PROMPT.md')
    const pattern = 'IMPLEMENTATION_PLAN.md.*100%'
    await scene.ralph('spawn', '--name', 'agent', '-f', path, '-m', '5', '--done-pattern', pattern)
    expect((await scene.ended('agent')).code).toBe(0)
    expect(scene.read('got.txt').trim()).toBe('')
    expect(scene.state('agent')).toMatchObject({ prompt_file: path, current_iteration: 2 })
  })

  it('Multiple workers can run concurrently with different names · Killing a worker also stops the loop', async () => {
    const scene = setWorkers({
      calls: [waits()],
    })
    await scene.ralph(...SPAWN, '-m', '2')
    await scene.ralph('spawn', '--name', 'other', '-f', 'PROMPT.md', '-m', '1', '--shared')
    expect((await scene.ralph('ls', '--format', 'names')).stdout).toBe('agent\nother\n')
    expect(scene.windows().sort()).toEqual(['agent', 'other'])
    expect((await scene.ralph('complete', 'kill', 'o')).stdout).toBe(`other\t${scene.project}\n`)
    expect((await scene.ralph('complete', 'pause', 'a')).stdout).toBe(`agent\t${scene.project}\n`)
    await scene.logged('agent', 'starting iteration 1/2')
    expect((await scene.ralph('ls')).stdout).toMatch(/^agent +running +1\/2 +none yet +\S+ +\//m)
    expect((await scene.ralph('kill', 'agent')).code).toBe(0)
    expect(scene.state('agent')).toMatchObject({ status: 'stopped', current_iteration: 1 })
    expect(scene.readFile('agent', 'iterations.log')).toContain('[STOP] loop ended on request')
    expect(scene.windows()).toEqual(['other'])
    expect(await scene.ralph('wait', '--all', '--timeout', '0.1')).toMatchObject({
      code: 124,
      stderr: 'timeout; still running: other\n',
    })
    scene.go('go')
    expect(await scene.ralph('wait', 'other')).toEqual({ code: 0, stdout: '', stderr: '' })
    // The one that was killed did not end well.
    expect(await scene.ralph('wait', '--all')).toMatchObject({
      code: 1,
      stderr: 'ended without being done: agent; see: ralph status agent\n',
    })
  })

  it.each([
    ['not found', (path: string) => rmSync(path)],
    [
      'cannot be read',
      (path: string) => {
        rmSync(path)
        mkdirSync(path)
      },
    ],
  ])(
    'Prompt file deleted or unreadable mid-loop: %s fails the worker, which goes on once it is back',
    async (what, spoil) => {
      const scene = setWorkers({
        calls: [waits()],
      })
      await scene.ralph(...SPAWN, '-m', '2')
      await scene.logged('agent', 'starting iteration 1/2')
      const path = join(scene.project, 'PROMPT.md')
      spoil(path)
      scene.go('go')
      expect((await scene.ended('agent')).code).toBe(1)
      const says =
        what === 'not found' ? `prompt file not found: ${path}` : `cannot read prompt file: ${path}`
      expect(scene.readFile('agent', 'view.log')).toContain(`[ralph] agent: stopped: ${says}`)
      expect(scene.state('agent')).toMatchObject({ status: 'failed', current_iteration: 1 })
      rmSync(path, { recursive: true, force: true })
      scene.write('PROMPT.md', 'Do task B\n')
      expect((await scene.ralph('resume', 'agent')).code).toBe(0)
      expect((await scene.ended('agent')).code).toBe(0)
    },
  )

  it('Pause non-ralph worker: what is no worker is told apart', async () => {
    const scene = setWorkers()
    await scene.ralph('run', '-p', 'work', '--once')
    const [run] = scene.runs().map(path => path.split('/').at(-1)!)
    for (const verb of ['kill', 'logs', 'rm', 'wait', 'attach'])
      expect(await scene.ralph(verb, run!)).toMatchObject({
        code: 2,
        stderr: `ralph: error: ${run} is a run, not a worker; see: ralph status ${run}\n`,
      })
    expect((await scene.ralph('pause', run!)).stderr).toContain('is not at work; there is nothing to pause')
    expect((await scene.ralph('pause', 'nobody')).stderr).toContain('no run "nobody" in ')
    await scene.ralph(...SPAWN, '-m', '1')
    await scene.ended('agent')
    expect((await scene.ralph('pause', 'nobody')).stderr).toContain(
      'and no worker of that name; there are: agent',
    )
  })
})
