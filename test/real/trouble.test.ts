import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { readJournal } from '../../src/store/journal.ts'
import { startMockModel, type Turn } from '../support/loopback-model.mjs'
import { runRalph } from '../support/ralph.ts'
import { scratch } from '../support/scratch.ts'
import { BIN, CLIS, furnish } from './clis.ts'

/** Nothing listens on the discard port. */
const NOWHERE = 'http://127.0.0.1:9'

type Trouble = {
  turns: Turn[]
  url?: string
  env?: Record<string, string>
  settings?: object
  flags?: string[]
  /** How each iteration ended. */
  ends: string[]
  /** What the first of them said. */
  note: string | RegExp
  /** The sentence the run ends with. */
  why: string | RegExp
  code: 0 | 1
  /** Until when the agent is left alone, from the end of the first iteration on. */
  waits?: (at: number, until: number) => void
}

const GIVEN_UP = 'failures: 1 consecutive failure, stopping loop'
const tooLong = (cli: string) => `limited: ${cli} is rate-limited for longer than maxLimitWait (1.0s)`
const DONE: Turn = { text: 'Done. <response>DONE</response>' }
const again = (turn: Turn): Turn[] => [{ ...turn, times: 20 }]
/** A moment of which only the seconds are told. */
const inSeconds = (s: number) => Math.floor(Date.now() / 1000) + s
const aMinute = (at: number, until: number) => expect(until - at).toBe(60_000)
const shortWait = { maxLimitWait: '1s' }

/** The account of a subscription is used up until then. */
const usedUp = (reset: number): Turn => ({
  status: 429,
  error: { type: 'rate_limit_error', message: "This request would exceed your account's rate limit." },
  headers: {
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': String(reset),
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
  },
})
const subscription = { ANTHROPIC_API_KEY: '', CLAUDE_CODE_OAUTH_TOKEN: 'dummy' }

const tooMany: Turn = { status: 429, error: { type: 'rate_limit_error', message: 'slow down' } }
const broken: Turn = { status: 500, error: { type: 'api_error', message: 'boom' } }
const cut: Turn = { text: 'Working on it, and this is long enough to be cut.', cut: true }
const noModel: Turn = { status: 404, error: { type: 'not_found_error', message: 'no such model' } }
const noKey: Turn = { status: 401, error: { type: 'authentication_error', message: 'invalid x-api-key' } }

const CLAUDE: Record<string, () => Trouble> = {
  'a wrong key': () => ({
    turns: again(noKey),
    ends: ['unusable'],
    note: 'Invalid API key · Fix external API key',
    why: 'unusable: claude cannot be used: Invalid API key · Fix external API key',
    code: 1,
  }),
  'a wrong key, which it would try ten times': () => ({
    turns: again(noKey),
    env: { CLAUDE_CODE_MAX_RETRIES: '10' },
    ends: ['unusable'],
    note: 'authentication_failed 401',
    why: 'unusable: claude cannot be used: authentication_failed 401',
    code: 1,
  }),
  'no credit': () => ({
    turns: again({
      status: 400,
      error: {
        type: 'invalid_request_error',
        message: 'Your credit balance is too low to access the Anthropic API.',
      },
    }),
    ends: ['unusable'],
    note: 'Credit balance is too low',
    why: 'unusable: claude cannot be used: Credit balance is too low',
    code: 1,
  }),
  'an unknown model': () => ({
    turns: again(noModel),
    ends: ['unusable'],
    note: /^There's an issue with the selected model/,
    why: "unusable: claude cannot be used: There's an issue with the selected model",
    code: 1,
  }),
  'a limit that resets soon': () => {
    const reset = inSeconds(6)
    return {
      turns: [usedUp(reset), DONE],
      env: subscription,
      ends: ['limited', 'ok'],
      note: /^You've hit your 5-hour limit · resets /,
      why: 'done as claimed: nothing verified it',
      code: 0,
      waits: (_, until) => expect(until).toBe(reset * 1000),
    }
  },
  'a limit that resets too late': () => {
    const reset = inSeconds(7200)
    return {
      turns: again(usedUp(reset)),
      env: subscription,
      settings: { maxLimitWait: '1h' },
      ends: ['limited'],
      note: /^You've hit your 5-hour limit · resets /,
      why: 'limited: claude is rate-limited for longer than maxLimitWait (1h0m)',
      code: 1,
      waits: (_, until) => expect(until).toBe(reset * 1000),
    }
  },
  'too many requests, with retry-after': () => ({
    turns: again({ ...tooMany, headers: { 'retry-after': '7' } }),
    settings: shortWait,
    ends: ['limited'],
    note: 'API Error: Request rejected (429) · slow down',
    why: tooLong('claude'),
    code: 1,
    waits: aMinute,
  }),
  'too many requests': () => ({
    turns: again(tooMany),
    settings: shortWait,
    ends: ['limited'],
    note: 'API Error: Request rejected (429) · slow down',
    why: tooLong('claude'),
    code: 1,
    waits: aMinute,
  }),
  'a broken server': () => ({
    turns: again(broken),
    ends: ['error'],
    note: /^API Error: 500 /,
    why: GIVEN_UP,
    code: 1,
  }),
  'a stream that is cut': () => ({
    turns: again(cut),
    ends: ['error'],
    note: /^API Error: Connection dropped/,
    why: GIVEN_UP,
    code: 1,
  }),
  'a refused connection': () => ({
    turns: [],
    url: NOWHERE,
    ends: ['error'],
    note: /^API Error: Connection refused/,
    why: GIVEN_UP,
    code: 1,
  }),
  'an empty reply': () => ({
    turns: again({ empty: true }),
    ends: ['empty', 'empty', 'empty'],
    note: 'the agent gave an empty answer',
    why: GIVEN_UP,
    code: 1,
  }),
}

const usageLimit = (resets_at?: number): Turn => ({
  status: 429,
  body: { error: { type: 'usage_limit_reached', message: 'used up', plan_type: 'plus', resets_at } },
})

const CODEX: Record<string, () => Trouble> = {
  'a wrong key': () => ({
    turns: again(noKey),
    ends: ['unusable'],
    note: /^unexpected status 401 Unauthorized: invalid x-api-key/,
    why: 'unusable: codex cannot be used: unexpected status 401 Unauthorized: invalid x-api-key',
    code: 1,
  }),
  'an unknown model': () => ({
    turns: again(noModel),
    ends: ['unusable'],
    note: /^unexpected status 404 Not Found: no such model/,
    why: 'unusable: codex cannot be used: unexpected status 404 Not Found: no such model',
    code: 1,
  }),
  'a limit that resets too late': () => {
    const reset = inSeconds(7200)
    return {
      turns: again(usageLimit(reset)),
      settings: { maxLimitWait: '1h' },
      ends: ['limited'],
      note: /^You’ve hit your usage limit\. .* try again at /,
      why: 'limited: codex is rate-limited for longer than maxLimitWait (1h0m)',
      code: 1,
      // It tells the minute, so the whole of it is waited for.
      waits: (_, until) => expect(until).toBe((Math.floor(reset / 60) + 1) * 60_000),
    }
  },
  'a limit that tells no reset': () => ({
    turns: again(usageLimit()),
    settings: shortWait,
    ends: ['limited'],
    note: /^You’ve hit your usage limit\. .* try again later\.$/,
    why: tooLong('codex'),
    code: 1,
    waits: aMinute,
  }),
  'too many requests, with retry-after': () => ({
    turns: again({ ...tooMany, headers: { 'retry-after': '1' } }),
    settings: shortWait,
    ends: ['limited'],
    note: 'exceeded retry limit, last status: 429 Too Many Requests',
    why: tooLong('codex'),
    code: 1,
    waits: aMinute,
  }),
  'too many requests': () => ({
    turns: again(tooMany),
    settings: shortWait,
    ends: ['limited'],
    note: 'exceeded retry limit, last status: 429 Too Many Requests',
    why: tooLong('codex'),
    code: 1,
    waits: aMinute,
  }),
  'a broken server': () => ({
    turns: again(broken),
    ends: ['error'],
    note: /^We’re currently experiencing high demand, which may cause temporary errors\.$/,
    why: GIVEN_UP,
    code: 1,
  }),
  'a stream that is cut': () => ({
    turns: again(cut),
    ends: ['error'],
    note: /^stream disconnected before completion/,
    why: GIVEN_UP,
    code: 1,
  }),
  // It would wait for the network for ever, and says so every now and then: only a clock ends it.
  'a refused connection': () => ({
    turns: [],
    url: NOWHERE,
    flags: ['--iteration-timeout', '6'],
    ends: ['timeout'],
    note: 'the iteration took too long and was stopped',
    why: GIVEN_UP,
    code: 1,
  }),
  'an empty reply': () => ({
    turns: again({ empty: true }),
    ends: ['empty', 'empty', 'empty'],
    note: 'the agent gave an empty answer',
    why: GIVEN_UP,
    code: 1,
  }),
}

/** Each CLI retries by itself, for minutes; here once is enough. */
const RETRIES = { CLAUDE_CODE_MAX_RETRIES: '0' }
const CODEX_RETRIES = 'request_max_retries = 0\nstream_max_retries = 0\n'

async function meet(cli: 'claude' | 'codex', trouble: Trouble) {
  const root = scratch('ralph-real-')
  const project = join(root, 'project')
  const home = join(root, 'home')
  mkdirSync(join(project, '.ralph'), { recursive: true })
  mkdirSync(home)
  const settings = { maxConsecutiveFailures: 1, killGrace: 1, ...trouble.settings }
  writeFileSync(join(project, '.ralph', 'settings.json'), JSON.stringify(settings))
  execFileSync('git', ['init', '-q'], { cwd: project })
  const mock = await startMockModel({ turns: trouble.turns })
  onTestFinished(() => mock.close())
  const url = trouble.url ?? mock.url
  furnish(CLIS[cli]!, home, url)
  if (cli === 'codex') writeFileSync(join(home, '.codex', 'config.toml'), CODEX_RETRIES, { flag: 'a' })
  const ran = await runRalph(
    [
      'run',
      '-p',
      'Write the answer.',
      '-a',
      cli,
      '--model',
      CLIS[cli]!.model,
      '-m',
      '4',
      '--trust',
      ...(trouble.flags ?? []),
    ],
    {
      cwd: project,
      env: {
        HOME: home,
        RALPH_HOME: join(home, '.ralph'),
        PATH: `${BIN}:${process.env.PATH}`,
        ...CLIS[cli]!.env(url),
        ...RETRIES,
        ...trouble.env,
      },
    },
  )
  const runs = join(home, '.ralph', 'runs')
  return { ran, journal: readJournal(join(runs, readdirSync(runs)[0]!)) }
}

describe.each([
  ['claude', CLAUDE],
  ['codex', CODEX],
] as const)('the real %s, meeting', (cli, table) => {
  it.skipIf(!existsSync(join(BIN, cli))).each(Object.entries(table))('%s', async (_, make) => {
    const trouble = make()
    const { ran, journal } = await meet(cli, trouble)
    const settled = journal.filter((e): e is Extract<RunEvent, { type: 'settled' }> => e.type === 'settled')
    expect(settled.map(e => e.end)).toEqual(trouble.ends)
    expect(settled[0]!.note).toEqual(
      typeof trouble.note === 'string' ? trouble.note : expect.stringMatching(trouble.note),
    )
    const until = settled[0]!.patch.until?.[cli]
    if (trouble.waits) trouble.waits(settled[0]!.at, until!)
    else expect(until).toBeUndefined()
    const summary = ran.stdout.split('\n').find(line => /^(?:✅|✓|❌|\[)/.test(line) && !line.startsWith(' '))
    expect(summary).toContain(trouble.why)
    expect(ran.code).toBe(trouble.code)
  })
})
