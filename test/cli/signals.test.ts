import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fold } from '../../src/core/evolve.ts'
import { DONE } from '../support/agent-script.ts'
import { leftovers } from '../support/killing.ts'
import { until } from '../support/until.ts'
import { refusal, setStage } from './scene.ts'

const isAlive = (pid: number) => {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

describe.each(['SIGINT', 'SIGTERM'] as const)('%s', signal => {
  it('lets the agent finish, then ends with 130; resume runs the checks and pays nothing', async () => {
    const stage = setStage({
      settings: { baseline: false, guardrails: [{ command: 'touch checked' }] },
      calls: [
        [['file', 'begun', ''], ['sleep', 400], DONE],
        [['file', 'paid-twice', ''], DONE],
      ],
    })
    const ralph = stage.start('run', '-p', 'x')
    await until(() => existsSync(join(stage.project, 'begun')))
    ralph.kill(signal)
    const ran = await ralph.ended
    expect([ran.code, ran.stderr]).toEqual([
      130,
      expect.stringMatching(
        /^Received signal, shutting down\.\.\.\nStopping after this iteration\. .* now\.$/m,
      ),
    ])
    expect(
      stage
        .journal()
        .map(e => e.type)
        .slice(-2),
    ).toEqual(['ended', 'stopped'])
    expect(existsSync(join(stage.project, 'checked'))).toBe(false)
    expect((await stage.ralph('resume')).code).toBe(0)
    expect(existsSync(join(stage.project, 'checked'))).toBe(true)
    expect(existsSync(join(stage.project, 'paid-twice'))).toBe(false)
  })

  it('twice ends the agent and all its children now, and costs no iteration', async () => {
    const stage = setStage({
      calls: [[['child', { detached: true, pid: 'child' }], ['pid', 'agent'], ['hang']], [DONE]],
    })
    const ralph = stage.start('run', '-p', 'x')
    await until(() => existsSync(join(stage.project, 'agent')))
    await ralph.killTwice(signal)
    const stopped = await ralph.ended
    expect([stopped.code, stopped.stderr.match(/^Stopping now\.$/gm)]).toEqual([130, ['Stopping now.']])
    for (const name of ['agent', 'child']) expect(isAlive(Number(stage.read(name)))).toBe(false)
    expect(fold(stage.journal()).state).toMatchObject({ n: 0, flight: {} })
    expect((await stage.ralph('resume')).code).toBe(0)
    const prompts = stage.session('iter-001-2/prompt.txt')
    expect(prompts).toContain('may be half-edited')
  })
})

describe.each(['SIGINT', 'SIGTERM'] as const)('%s twice', signal => {
  it.each([
    ['a check', false, '.'],
    ['the checks before the first iteration', true, ''],
  ])(
    'ends %s now; the next incarnation runs it again, and no agent is paid for it',
    async (_, baseline, calls) => {
      const waits = 'echo >> ../checks; [ -f ../go ] || { sleep 60 & sleep 60; }'
      const stage = setStage({ settings: { baseline, killGrace: 0.2, guardrails: [{ command: waits }] } })
      const ralph = stage.start('run', '-p', 'x')
      await until(() => existsSync(join(stage.root, 'checks')))
      await ralph.killTwice(signal)
      expect((await ralph.ended).code).toBe(130)
      expect(leftovers(stage.ralphHome)).toEqual([])
      const called = () => (existsSync(join(stage.root, 'count')) ? stage.read('../count') : '')
      expect(called()).toBe(calls)
      stage.write('../go', '')
      expect((await stage.ralph('resume')).code).toBe(0)
      expect(called()).toBe('.')
    },
  )
})

describe('SIGHUP', () => {
  it('ends the agent at once', async () => {
    const stage = setStage({ calls: [[['pid', 'agent'], ['hang']]] })
    const ralph = stage.start('run', '-p', 'x')
    await until(() => existsSync(join(stage.project, 'agent')))
    ralph.kill('SIGHUP')
    expect((await ralph.ended).code).toBe(130)
    expect(isAlive(Number(stage.read('agent')))).toBe(false)
  })
})

describe('two runs in one folder', () => {
  it('the second is refused while the first is at work, unless it insists', async () => {
    const stage = setStage({ calls: [[['file', 'begun', ''], ['await', '../go'], DONE], [DONE]] })
    const first = stage.start('run', '-p', 'x')
    await until(() => existsSync(join(stage.project, 'begun')))
    expect(await stage.ralph('run', '-p', 'x')).toMatchObject(
      refusal(/: run \S+ \(pid \d+\) is already running in \S+\. Wait, .* or pass --shared$/m),
    )
    expect((await stage.ralph('run', '-p', 'x', '--shared')).code).toBe(0)
    stage.write('../go', '')
    expect((await first.ended).code).toBe(0)
  })
})
