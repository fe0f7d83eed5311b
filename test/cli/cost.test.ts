import { describe, expect, it } from 'vitest'
import { type Act, saying } from '../support/agent-script.ts'
import { eventsOf, refusal, setStage } from './scene.ts'

const MILLION = { input_tokens: 1_000_000, cached_input_tokens: 900_000, output_tokens: 100_000 }
const codexSays = (text: string): Act => [
  'json',
  { type: 'item.completed', item: { id: '1', type: 'agent_message', text } },
  { type: 'turn.completed', usage: MILLION },
]
const geminiSays = (text: string): Act => [
  'json',
  { type: 'init', session_id: 's', model: 'gemini-2.5-pro' },
  { type: 'message', role: 'assistant', content: text },
  {
    type: 'result',
    status: 'success',
    stats: { input_tokens: 1e6, output_tokens: 1e5, cached: 9e5, total_tokens: 1.1e6 },
  },
]
/** At $2, $0.20 and $10 for a million: 0.1 × 2 + 0.9 × 0.2 + 0.1 × 10. */
const SOL = 1.38

function setCodex(settings: object = {}) {
  const stage = setStage({ settings })
  stage.addAgent('codex', [[codexSays('more')]])
  stage.addAgent('gemini', [[geminiSays('more')]])
  stage.addAgent('copilot', [[['print', '{}']]])
  stage.addAgent('amp', [[['print', '{}']]])
  return stage
}

describe('an agent that reports its tokens only', () => {
  it('costs what its model is listed at, and everything says that this is an estimate', async () => {
    const stage = setCodex()
    const ran = await stage.ralph('run', '-p', 'x', '-a', 'codex', '--model', 'gpt-6-sol', '-m', '2')
    expect(ran.stdout).toContain('(cost: ~$1.38, tokens: 1.0M in (900K cached) / 100K out')
    expect(ran.stdout).toContain('~$2.76 (estimated)')
    expect((await stage.ralph('status')).stdout).toContain('~$2.76 (estimated) · 2.2M tokens')
    const report = await stage.ralph('report')
    expect(report.stdout).toMatch(/cost +~\$2\.76 \(estimated\)/)
    expect(report.stdout).toMatch(/1 {2}more .*~\$1\.38/)
    const { totals, iterations } = JSON.parse((await stage.ralph('report', '--json')).stdout)
    expect(totals).toMatchObject({ usd: expect.closeTo(2 * SOL, 6), estimated: true, unpriced: 0 })
    expect(iterations[0]).toMatchObject({ usd: expect.closeTo(SOL, 6), estimated: true })
    expect(JSON.parse((await stage.ralph('status', '--json')).stdout)).toMatchObject({ estimated: true })
  })

  it('is stopped by --max-cost', async () => {
    const stage = setCodex()
    const words = ['run', '-p', 'x', '-a', 'codex', '--model', 'gpt-6-sol', '--max-cost', '2', '--json']
    const ran = await stage.ralph(...words)
    const events = eventsOf(ran)
    expect(events.findLast(e => e.type === 'finished')).toMatchObject({
      result: 'budget',
      why: '~$2.76 of $2.00 are spent',
    })
    expect(events.find(e => e.type === 'ended')).toMatchObject({
      result: { costUsd: expect.closeTo(SOL, 6), estimated: true },
    })
  })

  it('costs what the settings say, by its model or by its own name', async () => {
    const prices = { codex: { input: 1, output: 1, cached: 0 } }
    const words = ['run', '-p', 'x', '-a', 'codex', '-m', '1', '--max-cost', '9']
    const ran = await setCodex({ prices }).ralph(...words)
    expect(ran.stdout).toContain('cost: ~$0.20')
  })

  it('costs what the model that it names is listed at', async () => {
    const ran = await setCodex().ralph('run', '-p', 'x', '-a', 'gemini', '-m', '1')
    expect(ran.stdout).toContain('cost: ~$1.24')
  })

  it('has no cost where nobody knows its price', async () => {
    const ran = await setCodex().ralph('run', '-p', 'x', '-a', 'codex', '--model', 'gpt-0', '-m', '1')
    expect([ran.stdout, ran.stderr]).toEqual([expect.not.stringContaining('cost:'), expect.anything()])
  })
})

describe('a limit that cannot be held is refused before the first call', () => {
  const TEXT =
    'leave out --no-stream-agent-output (streamAgentOutput), or limit the run with -m or --max-time'
  it.each<[string, object, string[], string]>([
    [
      'in text mode',
      {},
      ['--no-stream-agent-output', '--max-cost', '1'],
      `--max-cost (budget.usd) cannot be enforced: in text mode claude does not report what it uses; ${TEXT}`,
    ],
    [
      'in text mode, by the settings',
      { streamAgentOutput: false, budget: { usd: 1 } },
      [],
      '--max-cost (budget.usd) cannot be enforced: in text mode claude',
    ],
    [
      'for tokens, too',
      {},
      ['--no-stream-agent-output', '--max-tokens', '1'],
      '--max-tokens (budget.tokens) cannot be enforced: in text mode claude',
    ],
    [
      'with an agent that tells nothing',
      {},
      ['-a', 'copilot', '--max-cost', '1'],
      'copilot does not report what it uses; limit the run with -m or --max-time instead',
    ],
    [
      'with a plain command',
      {},
      ['--max-cost', '1', '--', 'cat'],
      'cat does not report what it uses; limit the run with -m or --max-time instead',
    ],
    [
      'with an agent whose model is not named',
      {},
      ['-a', 'codex', '--max-cost', '1'],
      'codex reports only its tokens, and their price depends on the model; name it with --model, or add a price for "codex" to "prices" in the settings',
    ],
    [
      'with a model of unknown price',
      {},
      ['-a', 'codex', '--model', 'gpt-0', '--max-cost', '1'],
      'codex reports only its tokens, and ralph knows no price for "gpt-0"; add it to "prices" in the settings',
    ],
    [
      'because of a fallback',
      { fallbackAgents: ['amp'] },
      ['--max-cost', '1'],
      'amp reports only its tokens, and their price depends on the model',
    ],
  ])('%s', async (_, settings, words, why) => {
    const stage = setCodex(settings)
    const ran = await stage.ralph('run', '-p', 'x', ...words)
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([2, '', expect.stringContaining(why)])
    const dry = await stage.ralph('run', '-p', 'x', '--dry-run', ...words)
    expect(dry.code).toBe(2)
  })

  it.each<[string, string[]]>([
    ['claude', []],
    ['codex with its model among its flags', ['-a', 'codex']],
    ['tokens of codex', ['-a', 'codex', '--max-tokens', '1']],
    ['a command whose stream ralph reads', ['--', 'claude', '-p', '--output-format', 'stream-json']],
  ])('and held with %s', async (what, words) => {
    const settings = what.includes('flags') ? { agent: { flags: ['-m gpt-6-sol'] } } : {}
    const limit = words.includes('--max-tokens') ? [] : ['--max-cost', '1']
    const ran = await setCodex(settings).ralph('run', '-p', 'x', '--dry-run', ...limit, ...words)
    expect([ran.code, ran.stderr]).toEqual([0, ''])
  })

  it('also when a run is resumed with one', async () => {
    const stage = setCodex()
    await stage.ralph('run', '-p', 'x', '-a', 'copilot', '-m', '1')
    expect(await stage.ralph('resume', '-m', '9', '--max-cost', '1')).toMatchObject(
      refusal('copilot does not report what it uses'),
    )
  })
})

it('with a limit, the agent tells the cost of a commit message', async () => {
  const stage = setStage({
    settings: { scm: { command: 'git', tasks: ['commit'] } },
    calls: [[['file', 'a', ''], saying('<response>DONE</response>')], [['claude', 'Add a']]],
  })
  await stage.ralph('run', '-p', 'x', '--max-cost', '1')
  expect(stage.journal().find(e => e.type === 'asked')).toMatchObject({ role: 'message', costUsd: 0.01 })
})
