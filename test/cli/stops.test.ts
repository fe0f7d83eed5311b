import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Act, DONE, MORE } from '../support/agent-script.ts'
import type { Ran, Started } from '../support/ralph.ts'
import { until } from '../support/until.ts'
import { setRepository } from './repository.ts'
import { setStage } from './scene.ts'

type Stage = ReturnType<typeof setStage>

const HANG: Act[] = [['append', 'begun', '.'], ['hang']]
const costs = (usd: number, tokens: number): Act => [
  'claude',
  'more',
  { total_cost_usd: usd, usage: { input_tokens: tokens, output_tokens: 0 } },
]
const LIMITED: Act[] = [
  ['claude', 'API Error: Request rejected (429)', { is_error: true, api_error_status: 429 }],
  ['exit', 1],
]
const red = { guardrails: [{ command: 'exit 1' }], baseline: false }
const green = { guardrails: [{ command: 'true' }], baseline: false }

const begun = (stage: Stage, times = 1) =>
  until(() => existsSync(join(stage.project, 'begun')) && stage.read('begun').length >= times)

/** What happens meanwhile; by default nothing does, and no process of its own is needed. Returns what ends it. */
type Meanwhile = (stage: Stage, run: Started) => Promise<Ran>

const onSignal: Meanwhile = async (stage, run) => {
  await begun(stage)
  await run.killTwice('SIGINT')
  return run.ended
}
const onCancel: Meanwhile = async (stage, run) => {
  await begun(stage)
  await stage.ralph('cancel')
  return run.ended
}
const onCrashes: Meanwhile = async (stage, run) => {
  let current = run
  for (let n = 1; n <= 3; n++) {
    await begun(stage, n)
    current.kill('SIGKILL')
    await current.ended
    current = stage.start('resume')
  }
  return current.ended
}
const onPromptGone: Meanwhile = async (stage, run) => {
  await begun(stage)
  rmSync(join(stage.project, 'P.md'))
  stage.write('../go', '')
  return run.ended
}

/** Every way in which a run comes to its end, the sentence that says why, and the exit code. */
const STOPS: Record<
  string,
  { settings?: object; flags?: string[]; calls: Act[][]; meanwhile?: Meanwhile; why: string; code: number }
> = {
  'done, verified': { settings: green, calls: [[DONE]], why: 'done, verified', code: 0 },
  'done, claimed': { calls: [[DONE]], why: 'done as claimed: nothing verified it', code: 0 },
  'all iterations used': {
    flags: ['-m', '2'],
    calls: [[MORE]],
    why: 'not done: all 2 iterations are used',
    code: 1,
  },
  'all iterations used, and nothing to reach': {
    flags: ['-m', '2', '-c', ''],
    calls: [[MORE]],
    why: 'all 2 iterations are used',
    code: 0,
  },
  'failures in a row': {
    settings: { maxConsecutiveFailures: 2 },
    calls: [[['exit', 3]]],
    why: 'failures: 2 consecutive failures, stopping loop',
    code: 1,
  },
  'an iteration that takes too long': {
    settings: { maxConsecutiveFailures: 1, killGrace: 0.1 },
    flags: ['--iteration-timeout', '0.5'],
    calls: [[['hang']]],
    why: 'failures: 1 consecutive failure, stopping loop',
    code: 1,
  },
  'empty answers': {
    settings: { maxConsecutiveFailures: 1 },
    calls: [[['claude', '']]],
    why: 'failures: 1 consecutive failure, stopping loop',
    code: 1,
  },
  'silence in a row': {
    settings: { maxConsecutiveFailures: 2, killGrace: 0.1 },
    flags: ['--inactivity-timeout', '0.5'],
    calls: [[['hang']]],
    why: 'inactive: 2 iterations in a row fell silent and changed nothing',
    code: 1,
  },
  'nothing changes': {
    settings: { ...red, stuckAfter: 2 },
    calls: [[MORE]],
    why: 'blocked: stuck: 2 iterations changed nothing and exit 1 stayed red',
    code: 1,
  },
  'the money is spent': {
    flags: ['--max-cost', '1'],
    calls: [[costs(0.6, 0)]],
    why: 'budget: $1.20 of $1.00 are spent',
    code: 1,
  },
  'the tokens are used': {
    flags: ['--max-tokens', '100'],
    calls: [[costs(0, 60)]],
    why: 'budget: 120 of 100 tokens are used',
    code: 1,
  },
  'the time is up': {
    flags: ['--max-time', '1s'],
    calls: [[['sleep', 600], MORE]],
    why: 'budget: the time limit of 1.0s is reached',
    code: 1,
  },
  'the time is up while a limit is waited for': {
    flags: ['--max-time', '2s'],
    calls: [LIMITED],
    why: 'budget: the time limit of 2.0s is reached',
    code: 1,
  },
  'a limit that lasts too long': {
    settings: { maxLimitWait: '30s' },
    calls: [LIMITED],
    why: 'limited: claude is rate-limited for longer than maxLimitWait (30s)',
    code: 1,
  },
  'killed three times': {
    calls: [HANG],
    meanwhile: onCrashes,
    why: 'blocked: interrupted 3 times in a row',
    code: 1,
  },
  cancelled: { calls: [HANG], meanwhile: onCancel, why: 'cancelled', code: 1 },
  'interrupted by a signal': { calls: [HANG], meanwhile: onSignal, why: 'stopped: interrupted', code: 130 },
  'no prompt any more': {
    flags: ['-f', 'P.md'],
    calls: [[['append', 'begun', '.'], ['await', '../go'], MORE]],
    meanwhile: onPromptGone,
    why: 'stopped: prompt file not found: ',
    code: 1,
  },
}

describe('a run says in one sentence why it ended, to the console, to status and by its exit code', () => {
  it.each(Object.entries(STOPS))('%s', async (_, { settings, flags = [], calls, meanwhile, why, code }) => {
    const stage = setStage({ settings, calls })
    stage.write('P.md', 'x')
    const words = ['run', ...(flags.includes('-f') ? [] : ['-p', 'x']), ...flags]
    const ran = await (meanwhile ? meanwhile(stage, stage.start(...words)) : stage.ralph(...words))
    const said = ran.stdout.split('\n').filter(line => /^\S+\s+/.test(line) && line.includes(why))
    expect(said).toHaveLength(1)
    expect(ran.code).toBe(code)
    const status = JSON.parse((await stage.ralph('status', '--json')).stdout)
    expect(status.last).toContain(why)
  })
})

describe('silent iterations', () => {
  const silence = { maxConsecutiveFailures: 2, killGrace: 0.1, inactivityTimeout: 0.3 }
  const ends = (stage: ReturnType<typeof setStage>) =>
    stage.journal().flatMap(e => (e.type === 'settled' ? [e.end] : []))

  it.each<[string, object, Act[][]]>([
    ['without checks', {}, []],
    ['with checks', { guardrails: [{ command: 'true' }] }, []],
    ['where ralph commits', { scm: { command: 'git', tasks: ['commit'] } }, [[['claude', 'Make it']]]],
  ])('are counted from the first one, %s', async (_, settings, message) => {
    const calls: Act[][] = [[['file', 'made', ''], MORE], ...message, [['hang']]]
    const stage = setRepository({ settings: { ...silence, ...settings }, calls })
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(1)
    expect(ends(stage)).toEqual(['ok', 'inactive', 'inactive'])
  })

  it('that change something are not counted', async () => {
    const calls: Act[][] = [[['hang']], [['file', 'made', 'a'], ['hang']], [['hang']]]
    const stage = setStage({ settings: silence, calls })
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(1)
    expect(ends(stage)).toEqual(['inactive', 'inactive', 'inactive', 'inactive'])
  })
})
