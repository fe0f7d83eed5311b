import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isAlive, processRef } from '../../src/runners/process/proc.ts'
import { readJournal } from '../../src/store/journal.ts'
import { hasTmux } from '../support/terminal.ts'
import { until } from '../support/until.ts'
import { familyOf, HELD, heldTmux, SPAWN, setWorkers, signalAll } from './scene.ts'

/** A process that has nothing to do with ralph. */
async function stranger(): Promise<number> {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  await once(child, 'spawn')
  onTestFinished(() => void child.kill('SIGKILL'))
  return child.pid!
}

describe.skipIf(!hasTmux)('after a reboot', () => {
  it('a worker is crashed, though all its pids belong to others now, and goes on when it is resumed', async () => {
    const scene = setWorkers({ calls: HELD })
    await scene.ralph(...SPAWN, '-m', '2')
    const agent = await until(() => scene.agentPids()[0])
    const { run, supervisor, starter } = scene.record('agent')
    const server = Number(scene.tmux('display-message', '-p', '#{pid}'))
    // The supervisor, its warden, the agent and the tmux server, none of which can do anything about it.
    const refs = [...new Set([...familyOf(supervisor!.pid), agent, server])].map(processRef)
    signalAll(
      refs.map(({ pid }) => pid),
      'SIGKILL',
    )
    await until(() => !refs.some(isAlive), 'the end of them all')
    const others = [await stranger(), await stranger(), await stranger()]
    const reuse = (path: string) => {
      const text = [supervisor!.pid, starter.pid, agent].reduce(
        (before, pid, at) => before.replaceAll(new RegExp(`("pid": ?)${pid}\\b`, 'g'), `$1${others[at]}`),
        readFileSync(path, 'utf8'),
      )
      writeFileSync(path, text)
    }
    const locks = readdirSync(join(scene.home, 'locks')).map(file => join(scene.home, 'locks', file))
    const journal = join(scene.home, 'runs', run, 'journal.ndjson')
    for (const path of [scene.file('agent', 'worker.json'), journal, ...locks]) reuse(path)
    expect(scene.record('agent').supervisor?.pid).toBe(others[0])
    expect(readJournal(join(scene.home, 'runs', run))[0]).toMatchObject({ by: { pid: others[0] } })

    expect((await scene.ralph('ls')).stdout).toMatch(/agent +crashed +1\/2/)
    expect((await scene.ralph('status', 'agent')).stdout).toMatch(
      /Status: crashed\nIteration: 1\/2\n.*\nKnown by: journal\n/s,
    )
    expect(scene.state('agent')).toMatchObject({ status: 'running', current_iteration: 1 })
    expect((await scene.ralph('wait', 'agent')).code).toBe(1)
    writeFileSync(scene.file('agent', 'supervisor.log'), 'its last words\n')
    expect(await scene.ralph('resume', 'agent')).toMatchObject({
      code: 0,
      stdout: 'resumed ralph loop for agent\n',
    })
    expect((await scene.ended('agent')).code).toBe(0)
    expect(scene.state('agent')).toMatchObject({ status: 'stopped', current_iteration: 2, total_failures: 0 })
    expect(scene.windows()).toEqual(['agent'])
    expect(scene.agentPids()).toHaveLength(3)
    expect(scene.readFile('agent', 'supervisor.log.1')).toBe('its last words\n')
    expect(others.map(processRef).every(isAlive)).toBe(true)
  })
})

describe.skipIf(!hasTmux)('a worker that is killed while it is starting', () => {
  it('with the one who starts it, is crashed; its name can be used again at once', async () => {
    const scene = setWorkers({ calls: HELD })
    const letGo = heldTmux(scene)
    const starting = scene.start(...SPAWN, '-m', '1')
    const supervisor = await until(() => scene.record('agent')?.supervisor)
    starting.kill('SIGKILL')
    await starting.ended
    process.kill(supervisor.pid, 'SIGKILL')
    await until(() => !isAlive(supervisor))
    expect((await scene.ralph('ls')).stdout).toMatch(/agent +crashed/)
    expect(await scene.ralph('resume', 'agent')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        'crashed before it began; start it again with: ralph spawn --name agent',
      ),
    })
    letGo()
    scene.go('go')
    expect((await scene.ralph(...SPAWN, '-m', '1')).code).toBe(0)
    expect((await scene.ended('agent')).code).toBe(0)
  })

  it('alone, is the error of ralph spawn, and nothing is left at work', async () => {
    const scene = setWorkers({ calls: HELD })
    const letGo = heldTmux(scene)
    const starting = scene.start(...SPAWN, '-m', '1')
    const supervisor = await until(() => scene.record('agent')?.supervisor)
    process.kill(supervisor.pid, 'SIGKILL')
    expect(await starting.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the supervisor ended before it began'),
    })
    expect((await scene.ralph('ls')).stdout).toMatch(/agent +crashed/)
    expect(scene.agentPids()).toEqual([])
    letGo()
    expect((await scene.ralph('kill', 'agent')).code).toBe(0)
    expect((await scene.ralph('rm', 'agent')).code).toBe(0)
    expect(existsSync(join(scene.home, 'workers', 'agent'))).toBe(false)
  })
})

describe.skipIf(!hasTmux)('a worker that has used all its iterations', () => {
  it('is not resumed without more of them, and has ended well all the same', async () => {
    const scene = setWorkers({ calls: [[['claude', 'ok']]] })
    await scene.ralph(...SPAWN, '-m', '1')
    expect((await scene.ended('agent')).code).toBe(0)
    expect((await scene.ralph('status', 'agent')).stdout).toContain('\nGo on: ralph resume agent -m 11\n')
    expect(await scene.ralph('resume', 'agent')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('raise the limit with -m 11'),
    })
    expect((await scene.ended('agent')).code).toBe(0)
    expect((await scene.ralph('resume', 'agent', '-m', '2')).code).toBe(0)
    expect((await scene.ended('agent')).code).toBe(0)
    expect(scene.state('agent')).toMatchObject({ max_iterations: 2, current_iteration: 2 })
  })
})
