import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { readJournal } from '../../src/store/journal.ts'
import { startMockModel, type Turn } from '../support/loopback-model.mjs'
import { runRalph } from '../support/ralph.ts'
import { BIN, CLIS, furnish, openRealPlace } from './clis.ts'

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
const retryAfter = (seconds: string): Turn => ({ ...tooMany, headers: { 'retry-after': seconds } })
const broken: Turn = { status: 500, error: { type: 'api_error', message: 'boom' } }
const cut: Turn = { text: 'Working on it, and this is long enough to be cut.', cut: true }
const noModel: Turn = { status: 404, error: { type: 'not_found_error', message: 'no such model' } }
const noCredit: Turn = {
  status: 400,
  error: {
    type: 'invalid_request_error',
    message: 'Your credit balance is too low to access the Anthropic API.',
  },
}
const noKey: Turn = { status: 401, error: { type: 'authentication_error', message: 'invalid x-api-key' } }

/** Trouble that the first iteration ends with, and the run with it. */
const ending =
  (end: string, turn: Turn, note: string | RegExp, why: string, more: Partial<Trouble> = {}) =>
  (): Trouble => ({ turns: again(turn), ends: [end], note, why, code: 1, ...more })
const unusable = (cli: string, turn: Turn, note: string, more: Partial<Trouble> & { says?: RegExp } = {}) => {
  const { says = note, ...rest } = more
  return ending('unusable', turn, says, `unusable: ${cli} cannot be used: ${note}`, rest)
}
const failing = (turn: Turn, note: RegExp, more: Partial<Trouble> = {}) =>
  ending('error', turn, note, GIVEN_UP, more)
/** A limit of which nobody says when it is over. */
const limited = (cli: string, turn: Turn, note: string | RegExp) =>
  ending('limited', turn, note, tooLong(cli), { settings: { maxLimitWait: '1s' }, waits: aMinute })
/** A limit that is over long after the run has given up: ralph waits until `until` of the reset. */
const tooLate =
  (cli: string, note: RegExp, limit: (reset: number) => Turn, until: (reset: number) => number) => () => {
    const reset = inSeconds(7200)
    const why = `limited: ${cli} is rate-limited for longer than maxLimitWait (1h0m)`
    return ending('limited', limit(reset), note, why, {
      settings: { maxLimitWait: '1h' },
      waits: (_, waited) => expect(waited).toBe(until(reset)),
    })()
  }
const EMPTY = 'the agent gave an empty answer'
const anEmptyReply = ending('', { empty: true }, EMPTY, GIVEN_UP, { ends: ['empty', 'empty', 'empty'] })

const SESSION_LIMIT = /^You've hit your 5-hour limit · resets /
const REJECTED = 'API Error: Request rejected (429) · slow down'
const CLAUDE: Record<string, () => Trouble> = {
  'a wrong key': unusable('claude', noKey, 'Invalid API key · Fix external API key'),
  'a wrong key, which it would try ten times': unusable('claude', noKey, 'authentication_failed 401', {
    env: { CLAUDE_CODE_MAX_RETRIES: '10' },
  }),
  'no credit': unusable('claude', noCredit, 'Credit balance is too low'),
  'an unknown model': unusable('claude', noModel, "There's an issue with the selected model", {
    says: /^There's an issue with the selected model/,
  }),
  'a limit that resets soon': () => {
    const reset = inSeconds(6)
    return {
      turns: [usedUp(reset), DONE],
      env: subscription,
      ends: ['limited', 'ok'],
      note: SESSION_LIMIT,
      why: 'done as claimed: nothing verified it',
      code: 0,
      waits: (_, until) => expect(until).toBe(reset * 1000),
    }
  },
  'a limit that resets too late': () => ({
    ...tooLate('claude', SESSION_LIMIT, usedUp, reset => reset * 1000)(),
    env: subscription,
  }),
  'too many requests, with retry-after': limited('claude', retryAfter('7'), REJECTED),
  'too many requests': limited('claude', tooMany, REJECTED),
  'a broken server': failing(broken, /^API Error: 500 /),
  'a stream that is cut': failing(cut, /^API Error: Connection dropped/),
  'a refused connection': failing(cut, /^API Error: Connection refused/, { turns: [], url: NOWHERE }),
  'an empty reply': anEmptyReply,
}

const usageLimit = (resets_at?: number): Turn => ({
  status: 429,
  body: { error: { type: 'usage_limit_reached', message: 'used up', plan_type: 'plus', resets_at } },
})

const EXCEEDED = 'exceeded retry limit, last status: 429 Too Many Requests'
const CODEX: Record<string, () => Trouble> = {
  'a wrong key': unusable('codex', noKey, 'unexpected status 401 Unauthorized: invalid x-api-key', {
    says: /^unexpected status 401 Unauthorized: invalid x-api-key/,
  }),
  'an unknown model': unusable('codex', noModel, 'unexpected status 404 Not Found: no such model', {
    says: /^unexpected status 404 Not Found: no such model/,
  }),
  // It tells the minute, so the whole of it is waited for.
  'a limit that resets too late': tooLate(
    'codex',
    /^You’ve hit your usage limit\. .* try again at /,
    usageLimit,
    reset => (Math.floor(reset / 60) + 1) * 60_000,
  ),
  'a limit that tells no reset': limited(
    'codex',
    usageLimit(),
    /^You’ve hit your usage limit\. .* try again later\.$/,
  ),
  'too many requests, with retry-after': limited('codex', retryAfter('1'), EXCEEDED),
  'too many requests': limited('codex', tooMany, EXCEEDED),
  'a broken server': failing(
    broken,
    /^We’re currently experiencing high demand, which may cause temporary errors\.$/,
  ),
  'a stream that is cut': failing(cut, /^stream disconnected before completion/),
  // It would wait for the network for ever, and says so every now and then: only a clock ends it.
  'a refused connection': ending('timeout', cut, 'the iteration took too long and was stopped', GIVEN_UP, {
    turns: [],
    url: NOWHERE,
    flags: ['--iteration-timeout', '6'],
  }),
  'an empty reply': anEmptyReply,
}

/** Each CLI retries by itself, for minutes; here once is enough. */
const RETRIES = { CLAUDE_CODE_MAX_RETRIES: '0' }
const CODEX_RETRIES = 'request_max_retries = 0\nstream_max_retries = 0\n'

async function meet(cli: 'claude' | 'codex', trouble: Trouble) {
  const settings = { maxConsecutiveFailures: 1, killGrace: 1, ...trouble.settings }
  const { project, home, env } = openRealPlace(settings)
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
        ...env,
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
