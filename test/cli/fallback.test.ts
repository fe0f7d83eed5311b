import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Act, DONE } from '../support/agent-script.ts'
import { ending, refusal, setStage } from './scene.ts'

/** What claude says when the account's limit is used up; in so many seconds it is over. */
const usedUp = (seconds: number): Act[] => [
  [
    'json',
    {
      type: 'rate_limit_event',
      rate_limit_info: { status: 'rejected', resetsAt: Math.floor(Date.now() / 1000) + seconds },
    },
    {
      type: 'result',
      subtype: 'success',
      is_error: true,
      api_error_status: 429,
      result: "You've hit your 5-hour limit · resets 12pm (Europe/London)",
    },
  ],
  ['exit', 1],
]
const codexSays = (text: string): Act[] => [
  [
    'json',
    { type: 'thread.started', thread_id: 't' },
    { type: 'item.completed', item: { id: '1', type: 'agent_message', text } },
    { type: 'turn.completed', usage: { input_tokens: 7, output_tokens: 2 } },
  ],
]
const codexIsFull: Act[] = [
  ['json', { type: 'turn.failed', error: { message: 'Selected model is at capacity. Please try another.' } }],
  ['exit', 1],
]
const workers = (stage: ReturnType<typeof setStage>) =>
  stage.journal().flatMap(e => (e.type === 'started' ? [e.agent] : []))

/** What claude says of a key that the service does not know. */
const noKey: Act[] = [
  [
    'json',
    {
      type: 'result',
      subtype: 'success',
      is_error: true,
      api_error_status: 401,
      result: 'Invalid API key · Fix external API key',
    },
  ],
  ['exit', 1],
]

describe('an agent that the service turns away', () => {
  it('ends the run at once in one sentence, and the run can be resumed', async () => {
    const stage = setStage({ calls: [noKey, [DONE]] })
    const ran = await stage.ralph('run', '-p', 'x')
    expect(ran.code).toBe(1)
    expect(workers(stage)).toEqual(['claude'])
    expect(ran.stdout).toContain('unusable: claude cannot be used: Invalid API key · Fix external API key')
    expect(stage.settled()).toMatchObject([{ end: 'unusable', patch: { unusable: {} } }])
    const again = await stage.ralph('resume')
    expect(again.code).toBe(0)
    expect(again.stdout).toContain('iteration 1 of 10')
  })

  it('gives way to the next one, and is not called again', async () => {
    const stage = setStage({ settings: { fallbackAgents: ['codex'] }, calls: [noKey] })
    stage.addAgent('codex', [codexSays('more'), codexSays('Done. <response>DONE</response>')])
    const ran = await stage.ralph('run', '-p', 'x')
    expect(ran.code).toBe(0)
    expect(workers(stage)).toEqual(['claude', 'codex', 'codex'])
    expect(ran.stdout).toMatch(/Failed: Invalid API key[\s\S]*claude is left out until you resume the run/)
  })

  it('is ended while it goes on trying', async () => {
    const retry = (attempt: number) => ({
      type: 'system',
      subtype: 'api_retry',
      attempt,
      max_retries: 10,
      error_status: 401,
      error: 'authentication_failed',
    })
    const stage = setStage({
      calls: [
        [
          ['json', retry(1), retry(2)],
          ['sleep', 600_000],
        ],
      ],
    })
    const ran = await stage.ralph('run', '-p', 'x')
    expect(ran.code).toBe(1)
    expect(ran.stdout).toContain('claude cannot be used: authentication_failed 401')
  })
})

describe('a fallback agent', () => {
  it('goes on at once while the main one is limited, and everything tells which one worked', async () => {
    const stage = setStage({ settings: { fallbackAgents: ['codex'] }, calls: [usedUp(3600)] })
    stage.addAgent('codex', [codexSays('more'), codexSays('Done. <response>DONE</response>')])
    const ran = await stage.ralph('run', '-p', 'x')
    expect(ran.code).toBe(0)
    expect(workers(stage)).toEqual(['claude', 'codex', 'codex'])
    expect(stage.settled().map(e => e.patch.n)).toEqual([undefined, 1, 2])
    expect(ran.stdout).toMatch(
      /iteration 1 of 10\n[\s\S]*You've hit your 5-hour limit[\s\S]*claude is limited until [\s\S]*iteration 1 of 10 · codex\n[\s\S]*iteration 2 of 10 · codex\n/,
    )
    expect((await stage.ralph('report')).stdout).toMatch(/agent\s+claude, codex/)
    const status = await stage.ralph('status')
    expect(status.stdout).toMatch(/agent\s+codex\n/)
    expect(stage.session('agent-calls.jsonl').match(/"agent":"\w+"/g)).toEqual([
      '"agent":"claude"',
      '"agent":"codex"',
      '"agent":"codex"',
    ])
  })

  it('gives way to the main one when its limit is over', async () => {
    const stage = setStage({ settings: { fallbackAgents: ['codex'] }, calls: [usedUp(3), [DONE]] })
    stage.addAgent('codex', [[['sleep', 3000] as Act, ...codexSays('more')]])
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(workers(stage)).toEqual(['claude', 'codex', 'claude'])
  })

  it('that is limited, too, gives way to the next; when all are, the first to be free is waited for', async () => {
    const stage = setStage({
      settings: { fallbackAgents: ['codex', { command: 'gemini', model: 'flash' }] },
      calls: [usedUp(3), [DONE]],
    })
    stage.addAgent('codex', [codexIsFull])
    stage.addAgent('gemini', [
      [
        [
          'json',
          { type: 'result', status: 'error', error: { message: '[API Error: The model is overloaded.]' } },
        ],
      ],
    ])
    expect(await stage.ralph('run', '-p', 'x')).toMatchObject(ending(0, '(claude, codex, gemini limited)'))
    expect(workers(stage)).toEqual(['claude', 'codex', 'gemini', 'claude'])
    expect(readFileSync(join(stage.root, 'gemini.calls'), 'utf8')).toContain('-m flash')
  })

  it('is the same program with another model, if you like', async () => {
    const stage = setStage({
      settings: {
        agent: { command: 'claude', model: 'opus', flags: ['--max-turns 9'] },
        fallbackAgents: [{ command: 'claude', model: 'sonnet', flags: ['--effort high'] }],
        budget: { usd: 5 },
      },
      calls: [usedUp(3600), [DONE]],
    })
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(workers(stage)).toEqual(['claude', 'claude:sonnet'])
    const calls = readFileSync(join(stage.root, 'claude.calls'), 'utf8')
      .split('\n')
      .filter(l => l.startsWith('-p'))
    expect(calls[0]).toMatch(/--model opus --max-budget-usd 5.00 --max-turns 9$/)
    expect(calls[1]).toMatch(/--model sonnet --max-budget-usd 5.00 --effort high$/)
  })

  it('writes the commit message while the main one is limited', async () => {
    const stage = setStage({
      settings: { fallbackAgents: ['codex'], scm: {} },
      calls: [usedUp(3600)],
    })
    stage.addAgent('codex', [
      [['file', 'new.txt', 'x'] as Act, ...codexSays('Done. <response>DONE</response>')],
      [['print', '<response>Add a file</response>']],
    ])
    const ran = await stage.withEnv(
      {
        ...stage.env,
        GIT_AUTHOR_NAME: 'a',
        GIT_AUTHOR_EMAIL: 'a@b',
        GIT_COMMITTER_NAME: 'a',
        GIT_COMMITTER_EMAIL: 'a@b',
      },
      'run',
      '-p',
      'x',
    )
    expect(ran.code).toBe(0)
    expect(stage.journal().find(e => e.type === 'committing')).toMatchObject({ message: 'Add a file' })
  })

  it('is not even asked for its version as long as it is not needed', async () => {
    const stage = setStage({ settings: { fallbackAgents: ['codex'] } })
    stage.addAgent('codex', [codexSays('never')])
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(existsSync(join(stage.root, 'codex.calls'))).toBe(false)
  })

  it('that is not installed is left out with a warning, and the limit is waited for', async () => {
    const stage = setStage({
      settings: { fallbackAgents: ['no-such-agent'], maxLimitWait: '1s' },
      calls: [usedUp(3600)],
    })
    const ran = await stage.ralph('run', '-p', 'x')
    expect(ran.stderr).toContain(
      'ralph: warning: fallback agent "no-such-agent" is not on PATH; it is left out\n',
    )
    expect(ran).toMatchObject(
      ending(1, 'limited: claude is rate-limited for longer than maxLimitWait (1.0s)'),
    )
  })

  it('is shown by --dry-run and doctor, with its command', async () => {
    const stage = setStage({
      settings: { fallbackAgents: [{ command: 'codex', model: 'gpt-5.5' }, 'nowhere'] },
    })
    stage.addAgent('codex', [])
    const { stdout } = await stage.ralph('run', '-p', 'x', '--dry-run')
    expect(stdout).toMatch(/fallback\s+codex · gpt-5.5, nowhere\n/)
    expect(stdout).toMatch(/fallback\s+codex exec --json .* -m gpt-5.5 -\n/)
    const doctor = (await stage.ralph('doctor')).stdout
    expect(doctor).toMatch(/codex .* fallback while another is limited \(fallbackAgents\)/)
    expect(doctor).toMatch(/– nowhere\s+not found; fallback while/)
  })

  it('needs trust like the main agent', async () => {
    const stage = setStage({ settings: { fallbackAgents: ['./evil', { command: 'codex', flags: ['--x'] }] } })
    const { RALPH_TRUST: _, ...env } = stage.env
    expect(await stage.withEnv(env, 'run', '-p', 'x')).toMatchObject(
      refusal('nobody has allowed yet (fallbackAgents[0]: ./evil, and 2 more)'),
    )
  })

  it.each([
    [[7], "fallbackAgents[0] must be an agent's name or an object, not 7"],
    [
      [{ command: 'codex', flag: [] }],
      'unknown key "fallbackAgents[0].flag" in .ralph/settings.json; did you mean',
    ],
    [[{ model: 'x' }], 'fallbackAgents[0].command is missing'],
    [
      [{ command: './mine', model: 'x' }],
      'fallbackAgents[0].model: ralph does not know how to tell "./mine" a model',
    ],
    ['codex', 'fallbackAgents must be a list of agents, not a string'],
  ])('%j is refused', async (fallbackAgents, words) => {
    expect(await setStage({ settings: { fallbackAgents } }).ralph('run', '-p', 'x')).toMatchObject(
      refusal(words),
    )
  })
})
