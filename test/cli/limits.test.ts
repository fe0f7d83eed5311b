import { describe, expect, it } from 'vitest'
import { type Act, MORE } from '../support/agent-script.ts'
import { ending, setStage } from './scene.ts'

const paid = (usd: number, tokens: number): Act => [
  'claude',
  'more',
  { total_cost_usd: usd, usage: { input_tokens: tokens, output_tokens: 0 } },
]

describe('--once', () => {
  const red = { guardrails: [{ command: 'exit 1' }], baseline: false }
  it.each([
    ['ended well and green', {}, [MORE], 0],
    ['ended well and red', red, [MORE], 1],
    ['failed', {}, [['exit', 3] as Act], 1],
  ])('one iteration that %s', async (_, settings, call, code) => {
    const stage = setStage({ settings, calls: [call] })
    const ran = await stage.ralph('run', '-p', 'x', '--once')
    expect([ran.code, stage.journal().filter(e => e.type === 'started').length]).toEqual([code, 1])
  })
})

describe('a budget', () => {
  it.each([
    [['--max-cost', '0.25'], [paid(0.1, 0)], 3, '$0.30 of $0.25 are spent'],
    [['--max-tokens', '1000'], [paid(0, 600)], 2, '1200 of 1000 tokens are used'],
    [['--max-time', '2s'], [['sleep', 1200] as Act, MORE], 2, 'the time limit of'],
  ])('%j ends the run after the iteration that crosses it', async (flags, call, iterations, words) => {
    const stage = setStage({ calls: [call] })
    expect(await stage.ralph('run', '-p', 'x', ...flags)).toMatchObject(ending(1, words))
    expect(stage.settled()).toHaveLength(iterations)
  })
})

describe('guardrails', () => {
  it('run side by side where allowed, and are reported in the order of the settings', async () => {
    const command = (n: number) =>
      `touch started.${n}; while [ ! -f started.1 ] || [ ! -f started.2 ]; do sleep 0.02; done; echo ${n}; exit ${n}`
    const stage = setStage({
      settings: {
        baseline: false,
        guardrailParallelism: 2,
        guardrails: [{ command: command(1) }, { command: command(2) }],
      },
      calls: [[MORE], [['stdin', '../got'], MORE]],
    })
    await stage.ralph('run', '-p', 'x', '-m', '2')
    expect(stage.read('../got').match(/failed with exit code \d/g)).toEqual([
      'failed with exit code 1',
      'failed with exit code 2',
    ])
  })

  it.each([
    [{ command: 'sleep 20', timeout: 0.3 }, 'Guardrail "sleep 20" timed out after 0.3s.'],
    [{ command: 'kill -KILL $$' }, 'Guardrail "kill -KILL $$" was killed by SIGKILL.'],
    [
      { command: 'no-such-program' },
      'Guardrail "no-such-program" failed with exit code 127 (command not found).',
    ],
  ])('%j is red in words of its own', async (guardrail, words) => {
    const stage = setStage({
      settings: { baseline: false, killGrace: 0.1, guardrails: [guardrail] },
      calls: [[MORE], [['stdin', '../got'], MORE]],
    })
    await stage.ralph('run', '-p', 'x', '-m', '2')
    expect(stage.read('../got')).toContain(words)
  })

  it('keep only so much of their output for the agent, and all of it in the log', async () => {
    const stage = setStage({
      settings: {
        baseline: false,
        outputTruncateChars: 10,
        guardrails: [{ command: 'printf 0123456789abc; exit 1', hint: 'A hint that is longer than ten.' }],
      },
      calls: [[MORE], [['stdin', '../got'], MORE]],
    })
    await stage.ralph('run', '-p', 'x', '-m', '2')
    expect(stage.read('../got')).toMatch(
      /Hint: A hint that is longer than ten\.\n.*\nOutput \(truncated\):\n0123456789\.\.\. \[truncated\]\n\nWhen everything .*$/,
    )
    expect(stage.session('iter-001/guardrail_001_printf_0123456789abc_exit_1.log')).toBe('0123456789abc')
  })

  it('of the same name have logs of their own', async () => {
    const stage = setStage({
      settings: { baseline: false, guardrails: [{ command: 'echo a' }, { command: 'echo  a' }] },
    })
    await stage.ralph('run', '-p', 'x', '-m', '1')
    expect(
      stage.session('iter-001/guardrail_001_echo_a.log') +
        stage.session('iter-001/guardrail_001_echo_a_2.log'),
    ).toBe('a\na\n')
  })
})

describe('an agent that', () => {
  it('falls silent is ended, and the loop goes on', async () => {
    const stage = setStage({ calls: [[['hang']], [['claude', 'Done. <response>DONE</response>']]] })
    expect(await stage.ralph('run', '-p', 'x', '--inactivity-timeout', '0.5')).toMatchObject(
      ending(0, 'silent for too long'),
    )
  })

  it('takes too long is ended, and that is a failure', async () => {
    const stage = setStage({ calls: [[['hang']], [['claude', 'Done. <response>DONE</response>']]] })
    const ran = await stage.ralph('run', '-p', 'x', '--iteration-timeout', '0.5')
    expect(ran.code).toBe(0)
    expect(stage.journal().find(e => e.type === 'settled')).toMatchObject({ end: 'timeout' })
  })

  it('is silent while a tool call is open is left alone', async () => {
    const stage = setStage({
      calls: [
        [
          ['tool', 't1', 'Bash', { command: 'make' }],
          ['sleep', 1500],
          ['toolResult', 't1', 'made'],
          ['claude', 'Done. <response>DONE</response>'],
        ],
      ],
    })
    const ran = await stage.ralph('run', '-p', 'x', '--inactivity-timeout', '0.5')
    expect(ran.code).toBe(0)
    expect(stage.settled()).toMatchObject([{ end: 'ok' }])
  })

  it('gives empty answers is tried again twice, then it fails', async () => {
    const stage = setStage({ settings: { maxConsecutiveFailures: 1 }, calls: [[['claude', '']]] })
    expect(await stage.ralph('run', '-p', 'x')).toMatchObject(
      ending(1, '1 consecutive failure, stopping loop'),
    )
    expect(stage.settled()).toHaveLength(3)
  })
})

describe('a limit in text mode', () => {
  const TEXT = ['run', '-p', 'x', '--no-stream-agent-output']
  const settledIn = (stage: ReturnType<typeof setStage>) => stage.journal().find(e => e.type === 'settled')

  it('is reported by claude on standard output, with its reset', async () => {
    const words = "You've hit your 5-hour limit · resets 12pm (Pacific/Auckland)"
    const stage = setStage({
      settings: { maxLimitWait: 0 },
      calls: [
        [
          ['print', words],
          ['exit', 1],
        ],
      ],
    })
    expect((await stage.ralph(...TEXT)).code).toBe(1)
    const settled = settledIn(stage)
    expect(settled).toMatchObject({ end: 'limited', note: words })
    const until = settled?.type === 'settled' ? settled.patch.until!.claude! : 0
    const shown = new Date(until - 60_000).toLocaleString('en-GB', { timeZone: 'Pacific/Auckland' })
    expect(shown).toMatch(/12:00:00$/)
  })

  it('is reported by codex on standard error', async () => {
    const stage = setStage({ settings: { maxLimitWait: 0 } })
    const words = 'ERROR: exceeded retry limit, last status: 429 Too Many Requests'
    stage.addAgent('codex', [
      [
        ['stderr', `codex v1\n${words}\n`],
        ['exit', 1],
      ],
    ])
    expect((await stage.ralph(...TEXT, '-a', 'codex')).code).toBe(1)
    expect(settledIn(stage)).toMatchObject({ end: 'limited', note: words })
  })
})

describe('a loop without checks that idles', () => {
  const say = (text: string, ...acts: Act[]): Act[] => [...acts, ['claude', text]]
  const NOTHING = 'I looked at everything: there is nothing left to do.'

  it('ends after three iterations that change nothing and say nothing new, with a sentence', async () => {
    const stage = setStage({
      calls: [say(NOTHING, ['file', 'made', 'x']), say(`${NOTHING} (3)`), say(NOTHING)],
    })
    const ran = await stage.ralph('run', '-p', 'x')
    expect(ran.code).toBe(1)
    expect(ran.stdout).toContain('idle: 3 iterations in a row changed nothing and said nothing new')
    expect(stage.settled()).toHaveLength(4)
  })

  it('goes on while it says something new, or was asked for every iteration', async () => {
    const news = ['a', 'b', 'c', 'd'].map(word => say(`${NOTHING} But look at ${word}.`))
    const said = await setStage({ calls: news }).ralph('run', '-p', 'x', '-m', '4')
    expect(said.stdout).toContain('all 4 iterations are used')
    expect(
      await setStage({ calls: [say(NOTHING)] }).ralph('run', '-p', 'x', '-c', '', '-m', '5'),
    ).toMatchObject(ending(0, 'all 5 iterations are used'))
  })
})
