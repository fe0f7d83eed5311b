import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Act, DONE, MORE } from '../support/agent-script.ts'
import { until } from '../support/until.ts'
import { hinted, refusal, setStage } from './scene.ts'

const begun = (stage: ReturnType<typeof setStage>) => until(() => existsSync(join(stage.project, 'begun')))
/** Null before it began. */
const phase = async (stage: ReturnType<typeof setStage>) => {
  const { stdout } = await stage.ralph('status', '--json')
  return stdout === '' ? null : JSON.parse(stdout).phase
}

describe('a run at work', () => {
  it('is paused and resumed from outside', async () => {
    const stage = setStage({ calls: [[['file', 'begun', ''], ['await', '../go'], MORE], [DONE]] })
    const run = stage.start('run', '-p', 'x')
    await begun(stage)
    expect(await phase(stage)).toBe('running')
    expect((await stage.ralph('pause')).stdout).toMatch(/^paused run \S+: .* ralph resume/)
    stage.write('../go', '')
    await until(async () => (await phase(stage)) === 'paused')
    expect(await stage.ralph('resume', '-m', '30')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^ralph: error: run \S+ is at work under its own limits; .*\n$/),
    })
    expect(await stage.ralph('resume', '--json')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^resumed run /),
    })
    expect((await run.ended).code).toBe(0)
    expect(await phase(stage)).toBe('finished')
  })

  it('that waits for a limit says until when, and is told to try now by resume', async () => {
    const limited: Act[] = [
      ['claude', 'API Error: Request rejected (429)', { is_error: true, api_error_status: 429 }],
      ['exit', 1],
    ]
    const stage = setStage({ calls: [limited, [DONE]] })
    const run = stage.start('run', '-p', 'x')
    await until(async () => (await phase(stage)) === 'waiting')
    const { stdout } = await stage.ralph('status')
    expect(stdout).toMatch(/waits\s+until \d\d:\d\d; to try now: ralph resume \S+\n/)
    expect(stdout).toMatch(/limited\s+claude until \d\d:\d\d\n/)
    expect((await stage.ralph('resume')).stdout).toMatch(/^run \S+ no longer waits: it tries again now\n$/)
    expect((await run.ended).code).toBe(0)
  })

  it('is cancelled: its agent is gone, and it cannot be resumed', async () => {
    const stage = setStage({ calls: [[['file', 'begun', ''], ['hang']]] })
    const run = stage.start('run', '-p', 'x')
    await begun(stage)
    expect(await stage.ralph('cancel')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^cancelled/),
    })
    expect(stage.journal().at(-1)).toMatchObject({ type: 'finished', result: 'cancelled' })
    expect((await run.ended).code).toBe(1)
    expect(await stage.ralph('resume')).toMatchObject(refusal('no unfinished run'))
  })

  it('that does not read a request yet is not said to have obeyed', async () => {
    const stage = setStage({ calls: [[['file', 'begun', ''], ['hang']]] })
    const run = stage.start('run', '-p', 'x')
    await begun(stage)
    run.kill('SIGSTOP')
    const [paused, cancelled] = await Promise.all([stage.spawn('pause'), stage.spawn('cancel')])
    for (const [what, ran] of [
      ['pause', paused],
      ['cancel', cancelled],
    ] as const)
      expect(ran).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          new RegExp(
            `^run \\S+ has not responded: process ${run.pid} .* request to ${what} stays queued; .*\\n$`,
          ),
        ),
      })
    run.kill('SIGCONT')
    expect((await run.ended).code).toBe(1)
    expect(stage.journal().at(-1)).toMatchObject({ type: 'finished', result: 'cancelled' })
  })

  it('takes an instruction that stands in all later prompts', async () => {
    const stage = setStage({
      calls: [
        [['file', 'begun', ''], ['await', '../go'], MORE],
        [['stdin', '../got.2'], MORE],
        [['stdin', '../got.3'], DONE],
      ],
    })
    const run = stage.start('run', '-p', 'BASE')
    await begun(stage)
    const id = stage.runs()[0]!.split('/').at(-1)!
    expect((await stage.ralph('tell', id.slice(-3), 'Use', 'the new API')).code).toBe(0)
    stage.write('../go', '')
    expect((await run.ended).code).toBe(0)
    for (const name of ['../got.2', '../got.3'])
      expect(stage.read(name)).toBe(hinted('BASE\n\nInstruction from the user: Use the new API'))
  })
})

describe('status', () => {
  it('of a crashed run says so, and how to go on', async () => {
    const stage = setStage({ calls: [[['file', 'begun', ''], ['hang']], [DONE]] })
    const run = stage.start('run', '-p', 'x')
    await begun(stage)
    run.kill('SIGKILL')
    await run.ended
    const ran = await stage.ralph('status')
    expect(ran.stdout).toMatch(/status\s+crashed\n/)
    expect(ran.stdout).toMatch(/go on\s+ralph resume \S+\n/)
    await delay(700)
    expect((await stage.ralph('tell', stage.runs()[0]!.split('/').at(-1)!, '--', '--later')).code).toBe(0)
    expect((await stage.ralph('resume')).code).toBe(0)
    expect(stage.session('iter-001-2/prompt.txt')).toContain('Instruction from the user: --later')
  })

  it('of a run that ended at its limit names the command that raises it', async () => {
    const stage = setStage({ calls: [[MORE]] })
    await stage.ralph('run', '-p', 'x', '-m', '2')
    expect((await stage.ralph('status')).stdout).toMatch(
      /iteration\s+2 of 2[\s\S]*go on\s+ralph resume \S+ -m 12\n/,
    )
  })

  it.each([
    [['status'], 'no run in'],
    [['pause'], 'no unfinished run in'],
    [['cancel', 'nope'], 'no run "nope"'],
    [['tell', 'nope', 'x'], 'no unfinished run in'],
    [['tell', 'k3f', 'x'], 'no run "k3f"'],
  ])('%j with nothing there is an error that says so', async (args, words) => {
    expect(await setStage().ralph(...args)).toMatchObject(refusal(words))
  })

  it.each([
    ['resume', ''],
    ['cancel', ''],
    ['tell', ' ', 'x'],
    ['undo', '', '--yes'],
    ['build', '--resume', ''],
  ])('%j names no run, though there is only one', async (...args) => {
    const stage = setStage({ calls: [[MORE]] })
    await stage.ralph('run', '-p', 'x', '-m', '1')
    expect(await stage.ralph(...args)).toMatchObject(refusal('the id of the run is empty'))
  })
})

it('a limit is set for the latest unfinished run of the project, or for the one that is named', async () => {
  const stage = setStage({ calls: [[MORE], [MORE], [DONE]] })
  await stage.ralph('run', '-p', 'x', '-m', '1')
  expect(await stage.ralph('set', 'max-iterations=2')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^run \S+ may use 2 iterations, all counted\n$/),
  })
  expect((await stage.ralph('resume')).stdout).toContain('iteration 2 of 2')
  const { id } = JSON.parse((await stage.ralph('status', '--json')).stdout)
  expect((await stage.ralph('set', id, 'max-iterations=3')).code).toBe(0)
  expect((await stage.ralph('resume')).stdout).toContain('done')
  expect(await stage.ralph('set', id)).toMatchObject({
    code: 2,
    stderr: 'ralph: error: ralph set takes one setting: max-iterations=N\n',
  })
})
