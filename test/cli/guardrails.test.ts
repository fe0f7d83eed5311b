import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { DONE, MORE } from '../support/agent-script.ts'
import { hinted, setStage } from './scene.ts'

describe('guardrails', () => {
  it.each([
    ['APPEND', (base: string, failure: string) => hinted(`${base}\n\n${failure}`, { checks: true })],
    ['PREPEND', (base: string, failure: string) => hinted(`${failure}\n\n${base}`, { checks: true })],
    ['REPLACE', (_: string, failure: string) => failure],
  ])('with %s give exactly this prompt', async (failAction, shaped) => {
    const stage = setStage({
      settings: { baseline: false, guardrails: [{ command: 'printf no; exit 5', failAction }] },
      calls: [[MORE], [['stdin', '../got'], MORE]],
    })
    await stage.ralph('run', '-p', 'The prompt.', '-m', '2')
    const failure = [
      'Guardrail "printf no; exit 5" failed with exit code 5.',
      `Output file: ${stage.read('../got').match(/^Output file: (.*)$/m)![1]}`,
      'Output (truncated):',
      'no',
    ].join('\n')
    expect(stage.read('../got')).toBe(shaped('The prompt.', failure))
  })

  it('put their output, both streams and all of it, into a log per iteration', async () => {
    const command = 'echo out; echo err >&2; yes 12345678 | head -n 5000; exit 1'
    const stage = setStage({
      settings: { baseline: false, outputTruncateChars: 20, guardrails: [{ command }] },
      calls: [[['append', 'file', 'x'], MORE]],
    })
    await stage.ralph('run', '-p', 'x', '-m', '2')
    for (const n of ['001', '002']) {
      const log = stage.session(
        `iter-${n}/guardrail_${n}_echo_out_echo_err_2_yes_12345678_head_n_5000_exit.log`,
      )
      expect(log.slice(0, 8)).toBe('out\nerr\n')
      expect(log).toHaveLength(8 + 5000 * 9)
    }
  })

  it('that clean the tree, and their log with it, are reported like any other', async () => {
    const command = 'echo why; git clean -fdxq; test -f ../right'
    const stage = setStage({
      settings: { guardrails: [{ command }] },
      calls: [[MORE], [['stdin', '../got'], ['file', '../right', ''], DONE], [DONE]],
    })
    execFileSync('git', ['add', '.'], { cwd: stage.project })
    const ran = await stage.ralph('run', '-p', 'x', '-m', '3')
    expect([ran.code, ran.stderr]).toEqual([0, expect.not.stringContaining('ralph: error')])
    expect(stage.read('../got')).toMatch(/failed with exit code 1\.\n.*\nOutput \(truncated\):\nwhy\n/)
  })

  it('say on the console when they start, how they ended and what follows', async () => {
    const stage = setStage({
      settings: {
        baseline: false,
        guardrails: [{ command: 'exit 5', failAction: 'PREPEND' }, { command: 'true' }],
      },
    })
    const { stdout } = await stage.ralph('run', '-p', 'x', '-m', '1')
    expect(stdout).toMatch(
      /… exit 5\n.*✗ exit 5 failed with exit code 5 \S+ → PREPEND\n(.*\n)?.*… true\n.*✓ true/,
    )
  })

  it('that are red keep a claim from being tested: the loop goes on', async () => {
    const stage = setStage({
      settings: { baseline: false, guardrails: [{ command: 'test -f right' }] },
      calls: [[DONE], [['file', 'right', ''], MORE], [DONE]],
    })
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(stage.journal().flatMap(e => (e.type === 'settled' ? [e.move] : []))).toEqual([
      'fail',
      'more',
      'pass',
    ])
  })

  it('do not run after an agent that failed', async () => {
    const stage = setStage({
      settings: { baseline: false, guardrails: [{ command: 'echo ran >> ../checks' }] },
      calls: [[['exit', 3]], [DONE]],
    })
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(stage.read('../checks')).toBe('ran\n')
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'finish what is running at %s, and no other starts',
    async signal => {
      const stage = setStage({
        settings: {
          baseline: false,
          guardrails: [{ command: 'touch begun; sleep 0.4; touch finished' }, { command: 'touch second' }],
        },
        calls: [[DONE], [['file', 'paid-twice', ''], DONE]],
      })
      const has = (name: string) => existsSync(join(stage.project, name))
      const ralph = stage.start('run', '-p', 'x')
      while (!has('begun')) await delay(20)
      ralph.kill(signal)
      expect(await ralph.ended).toMatchObject({
        code: 130,
        stderr: expect.stringContaining('Received signal, shutting down...\n'),
      })
      expect([has('finished'), has('second')]).toEqual([true, false])
      expect((await stage.ralph('resume')).code).toBe(0)
      expect([has('second'), has('paid-twice')]).toEqual([true, false])
    },
  )
})
