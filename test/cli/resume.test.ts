import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Act, DONE, MORE } from '../support/agent-script.ts'
import { hostRalph } from '../support/hosted.ts'
import { RALPH } from '../support/ralph.ts'
import { ending, refusal, setStage } from './scene.ts'

const paid = (usd: number): Act => [
  'claude',
  'more',
  { total_cost_usd: usd, usage: { input_tokens: 600, output_tokens: 0 } },
]

describe('resume', () => {
  it('gives a stuck run another chance, with what failed still in its prompt', async () => {
    const stage = setStage({
      settings: { baseline: false, guardrails: [{ command: 'test -f ../fixed' }] },
      calls: [[MORE], [MORE], [MORE], [['stdin', '../got'], DONE], [DONE]],
    })
    expect(await stage.ralph('run', '-p', 'x')).toMatchObject(ending(1, 'stuck'))
    stage.write('../fixed', '')
    expect((await stage.ralph('resume')).code).toBe(0)
    expect(stage.read('../got')).toContain('Guardrail "test -f ../fixed" failed')
  })

  it('without its agent is refused at once: nothing is recorded, and no iteration is spent', async () => {
    const stage = setStage({ calls: [[MORE], [DONE]] })
    await stage.ralph('run', '-p', 'x', '-m', '1')
    const before = stage.journal()
    rmSync(join(stage.bin, 'claude'))
    const PATH = '/usr/bin:/bin'
    expect(await stage.withEnv({ ...stage.env, PATH }, 'resume', '-m', '9')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'ralph: error: agent "claude" is not on PATH; install it (npm install -g @anthropic-ai/claude-code), then: ralph resume\n',
    })
    expect(stage.journal()).toEqual(before)
  })

  it('finds an agent that was named by its path in the project, wherever it is typed', async () => {
    const stage = setStage()
    writeFileSync(join(stage.project, 'agent'), '#!/bin/sh\necho more\n', { mode: 0o755 })
    await stage.ralph('run', '-p', 'x', '-m', '1', '--', './agent')
    const [id] = stage.runs().map(dir => basename(dir))
    const elsewhere = { cwd: stage.root, env: stage.env }
    expect((await hostRalph(['resume', id!, '-m', '2'], elsewhere)).code).toBe(1)
    expect(stage.settled()).toMatchObject([{ end: 'ok' }, { end: 'ok' }])
    rmSync(join(stage.project, 'agent'))
    expect(await hostRalph(['resume', id!, '-m', '3'], elsewhere)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^ralph: error: agent ".*\/project\/agent" does not exist .*\n$/),
    })
  })

  it.each([
    ['--max-cost', '0.1', '$0.20 of $0.10', '5'],
    ['--max-tokens', '500', '600 of 500 tokens', '5000'],
  ])('of a run that used its %s names the flag, and goes on with it', async (flag, limit, used, more) => {
    const stage = setStage({ calls: [[paid(0.2)], [DONE]] })
    expect((await stage.ralph('run', '-p', 'x', flag, limit)).code).toBe(1)
    expect(await stage.ralph('resume')).toMatchObject(
      refusal(`has used ${used}; raise the limit with ${flag}`),
    )
    expect((await stage.ralph('resume', flag, more)).code).toBe(0)
  })

  it('of a run of one iteration names the same limit as its end, its status and doctor', async () => {
    const stage = setStage({ calls: [[MORE], [DONE]] })
    const { stdout } = await stage.ralph('run', '-p', 'x', '--once', '-c', 'NEVER')
    const [command, id] = /ralph resume (\S+) -m 2/.exec(stdout)!
    expect((await stage.ralph('resume')).stderr).toContain('raise the limit with -m 2\n')
    expect((await stage.ralph('status')).stdout).toContain(command)
    const { project } = JSON.parse((await stage.ralph('doctor', '--json')).stdout)
    expect(project.unfinished).toEqual({ run: id, iterations: 1, goOn: command })
  })

  it('of a run at its limit of iterations names the flag, and goes on with it', async () => {
    const stage = setStage({ calls: [[MORE], [DONE]] })
    await stage.ralph('run', '-p', 'x', '-m', '1')
    expect(await stage.ralph('resume')).toMatchObject(
      refusal('has used its one iteration; raise the limit with -m 11'),
    )
    expect(await stage.ralph('resume', '-m', '3')).toMatchObject(
      ending(0, /limits\s+3 iterations[\s\S]*iteration 2 of 3/),
    )
  })

  it('by several at once is done by one of them, and nothing is done twice', async () => {
    const stage = setStage({ calls: [[MORE], [['sleep', 300], DONE]] })
    expect((await stage.ralph('run', '-p', 'x', '-m', '1')).code).toBe(1)
    const all = await Promise.all(
      ['--shared', '--shared', '-q', '-q'].map(flag => stage.spawn('resume', '-m', '5', flag)),
    )
    const others = all.filter(ran => !(ran.code === 0 && !ran.stdout.startsWith('resumed run')))
    expect(others).toHaveLength(3)
    const refused =
      /is already running|is at work under its own limits|no unfinished run|is finished|^resumed run/
    for (const { stdout, stderr } of others) expect(stdout + stderr).toMatch(refused)
    expect(stage.read('../count')).toBe('..')
    expect(stage.journal().map(e => e.type)).toContain('finished')
  })

  it('of a run whose project is gone says so, and makes nothing', async () => {
    const stage = setStage({ calls: [[MORE]] })
    await stage.ralph('run', '-p', 'x', '-m', '1')
    const id = stage.runs()[0]!.split('/').at(-1)!
    rmSync(stage.project, { recursive: true })
    const ran = spawnSync(process.execPath, [RALPH, 'resume', id, '-m', '5'], {
      cwd: stage.root,
      env: stage.env,
      encoding: 'utf8',
    })
    expect([ran.status, ran.stderr]).toEqual([2, expect.stringContaining('is gone')])
    expect(existsSync(stage.project)).toBe(false)
  })
})

describe('what is written down', () => {
  it('holds no secret of the command line', async () => {
    const stage = setStage()
    await stage.ralph('run', '-p', 'x', '-m', '1', '--', 'sh', '-c', 'echo hi', '--token', 'SECRET')
    expect(stage.session('session.json') + stage.session('agent-calls.jsonl')).not.toContain('SECRET')
  })
})

it('a reader that goes away is no error, whatever is printed', () => {
  const ran = spawnSync('sh', ['-c', `"${process.execPath}" "${RALPH}" run --help | head -n 1`], {
    encoding: 'utf8',
  })
  expect(ran.stderr).toBe('')
})
