import { expect, test } from 'vitest'
import { resetIn } from '../../src/agents/shared/reset.ts'
import { epochMs, troubleOf } from '../../src/agents/shared/trouble.ts'
import { AGENTS, endedOf, exitOf, play, playAll } from './play.ts'

// What is a limit is shown by recordings.test.ts: every rule names the recordings that it comes from.

test.each([
  'Prompt is too long · the request is ~210000 tokens (limit 200000)',
  'Context limit reached · /compact or /clear to continue',
  'exceeded retry limit, last status: 500 Internal Server Error',
  'We’re currently experiencing high demand, which may cause temporary errors.',
  'API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)',
  'API Error: 500 Internal server error.',
  'Reached maximum number of turns 429',
  'Reached maximum budget ($0.1)',
  'EDQUOT: disk quota exceeded, write',
  'I added a test for "API Error: Request rejected (429)" and for the rate limit of the API',
  "The docs say: You've hit your 5-hour limit · resets 12pm (Europe/London)",
  'Failed to get response from the AI model; retried 5 times. Last error: 500 boom',
  'exit code 1, no result',
  '',
])('%s is neither a limit nor a refused account', error => expect(troubleOf(error)).toBe(null))

test.each([[null], ['1749924000'], [5], [-1749924000], [Number.NaN], [Number.POSITIVE_INFINITY], [{}]])(
  '%s is no moment',
  value => expect(epochMs(value)).toBeUndefined(),
)

test('a moment is in seconds or in milliseconds', () => {
  expect([1749924000, 1749924000123].map(epochMs)).toEqual([1749924000_000, 1749924000_123])
})

test('a status counts whatever the words beside it', () => {
  const byStatus = (status: unknown) => troubleOf('boom', status)
  expect([429, 529].map(byStatus)).toEqual(['limited', 'limited'])
  expect([401, 402, 403, 404].map(byStatus)).toEqual(Array(4).fill('unusable'))
  expect([500, 400, '429', null, undefined].map(byStatus)).toEqual([null, null, null, null, null])
})

test('the words of an error count more than its status', () => {
  expect(troubleOf('Quota exceeded. Check your plan and billing details.', 429)).toBe('unusable')
  expect(troubleOf('Credit balance is too low', 400)).toBe('unusable')
})

const LIMIT = "You've hit your 5-hour limit · resets 12pm (Europe/London)"

test('words of the agent, of a tool or of the prompt are no limit', () => {
  const assistant = (text: string) => ({ type: 'assistant', message: { content: [{ type: 'text', text }] } })
  const tool = {
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: 't', content: LIMIT }] },
  }
  const prompt = { type: 'user', message: { content: [{ type: 'text', text: LIMIT }] } }
  const result = (more: object) => ({ type: 'result', subtype: 'success', result: LIMIT, ...more })
  const spoken = [assistant(LIMIT), tool, prompt]
  const limited = (messages: unknown[], exit = exitOf(0)) =>
    playAll('claude', messages, exit).some(event => event.type === 'limited')
  expect(limited([...spoken, result({ is_error: false })])).toBe(false)
  expect(limited([...spoken, { type: 'result', subtype: 'error_max_turns' }], exitOf(1))).toBe(false)
  expect(limited(spoken, exitOf(1))).toBe(false)
  expect(limited([...spoken, result({ is_error: true })], exitOf(1))).toBe(true)

  const said = { type: 'item.completed', item: { id: '1', type: 'agent_message', text: LIMIT } }
  const ran = { id: '2', type: 'command_execution', command: 'cat', aggregated_output: LIMIT, exit_code: 0 }
  const failed = { type: 'turn.failed', error: { message: 'stream disconnected' } }
  const codex = playAll('codex', [said, { type: 'item.completed', item: ran }, failed], exitOf(1))
  expect(codex.some(event => event.type === 'limited')).toBe(false)
})

test('plain text is a limit only as the last line of a command that failed', () => {
  const read = (lines: string[], code: number, complaint = '') =>
    play(AGENTS.claude.parser('text'), lines, exitOf(code), complaint).some(e => e.type === 'limited')
  expect(read([LIMIT], 1)).toBe(true)
  expect(read([LIMIT], 0)).toBe(false)
  expect(read([LIMIT, 'and more'], 1)).toBe(false)
  expect(read([`See: ${LIMIT}`], 1)).toBe(false)
  expect(read(['working'], 1, LIMIT)).toBe(true)
  expect(read(['working'], 1, '429 tests failed')).toBe(false)
  expect(endedOf(play(AGENTS.claude.parser('text'), [LIMIT], exitOf(1))).ok).toBe(false)
})

const at = (iso: string) => Date.parse(iso)
const NOW = at('2026-11-16T04:30:20Z')

test.each([
  ["You've hit your 5-hour limit · resets 12pm (Europe/London)", '2026-11-16T12:01:00Z'],
  ["You've hit your 5-hour limit · resets 4:30am (Europe/London)", '2026-11-16T04:31:00Z'],
  ["You've hit your 5-hour limit · resets 4am (Europe/London)", '2026-11-17T04:01:00Z'],
  ["You've hit your 5-hour limit · resets 12am (America/New_York)", '2026-11-16T05:01:00Z'],
  ["You've hit your weekly limit · resets Nov 19, 12pm (Europe/London)", '2026-11-19T12:01:00Z'],
  ["You've hit your weekly limit · resets Jan 2, 9:30am (Asia/Kolkata)", '2027-01-02T04:01:00Z'],
  ["You've hit your weekly limit · resets Mar 28, 2:30am (Europe/Berlin)", '2027-03-28T01:31:00Z'],
  ['[API Error: Quota exceeded.\nSuggested retry after 3600s.]', '2026-11-16T05:30:20Z'],
])('%j is a moment', (note, moment) => expect(resetIn(note, NOW)).toBe(at(moment)))

test('a time without a zone is that of the machine', () => {
  const local = (...when: [number, number, number, number, number]) => new Date(...when).getTime()
  const now = local(2026, 10, 16, 9, 0)
  expect(resetIn('or try again at 12:00 PM.', now)).toBe(local(2026, 10, 16, 12, 1))
  expect(resetIn('or try again at Nov 19th, 2026 12:30 PM.', now)).toBe(local(2026, 10, 19, 12, 31))
})

test.each([
  'or try again later.',
  'Please try again in 1.054s.',
  'resets 25pm (Europe/London)',
  'resets 12pm (Atlantis/Capital)',
  'resets Foo 3, 12pm (Europe/London)',
  'API Error: Request rejected (429) · slow down',
  '',
])('%j tells no moment', note => expect(resetIn(note, NOW)).toBeUndefined())
