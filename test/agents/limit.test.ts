import { expect, test } from 'vitest'
import { epochMs, limitBy, limitIn } from '../../src/agents/limit.ts'

test.each([
  'Claude AI usage limit reached',
  "You've hit your limit · resets 3pm (America/Los_Angeles)",
  "You've hit your session limit · resets 1:10am (Europe/Moscow)",
  "You've hit your org's monthly usage limit",
  'Session limit reached ∙ resets 10am',
  '5-hour limit reached ∙ resets 3pm',
  'Weekly limit reached',
  'Opus limit reached ∙ resets Feb 3 at 10am',
  'Your limit will reset at 1pm',
  'Your credit balance is too low to access the Anthropic API',
  "You're out of extra usage · resets 3pm",
  'API Error: Request rejected (429) · slow down',
  'API Error: 529 Overloaded. This is a server-side issue',
  'exceeded retry limit, last status: 429 Too Many Requests',
  'Quota exceeded. Check your plan and billing details.',
  "You've hit your usage limit. To get more access now, try again in 3 days 6 hours 57 minutes.",
  'Rate limit reached for gpt-5 in organization org-x',
  '{"error":{"code":"insufficient_quota"}}',
  '[API Error: You have exhausted your daily quota on this model.]',
  '[API Error: {"error":{"code":429,"message":"slow down","status":"RESOURCE_EXHAUSTED"}}]',
  '[API Error: {"error":{"code":503,"message":"The model is overloaded. Please try again later."}}]',
])('%s is a limit', error => expect(limitIn(error)).toEqual({}))

test.each([
  'Invalid API key · Fix external API key',
  'Prompt is too long · the request is ~210000 tokens (limit 200000)',
  'Context limit reached · /compact or /clear to continue',
  'exceeded retry limit, last status: 500 Internal Server Error',
  'We’re currently experiencing high demand, which may cause temporary errors.',
  'API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)',
  'API Error: 500 Internal server error.',
  'Reached maximum number of turns 429',
  'Reached maximum budget ($0.1)',
  'EDQUOT: disk quota exceeded, write',
  'Failed to get response from the AI model; retried 5 times. Last error: 500 boom',
  'exit code 1, no result',
  '',
])('%s is none', error => expect(limitIn(error)).toBeNull())

test('a stated moment is believed, in seconds or in milliseconds', () => {
  expect(limitIn('Claude AI usage limit reached|1749924000')).toEqual({ resetsAt: 1749924000_000 })
  expect(limitIn('Claude AI usage limit reached|1749924000123 ')).toEqual({ resetsAt: 1749924000_123 })
  expect(limitIn('usage limit reached|17')).toEqual({})
})

test.each([[null], ['1749924000'], [5], [-1749924000], [Number.NaN], [Number.POSITIVE_INFINITY], [{}]])(
  '%s is no moment',
  value => expect(epochMs(value)).toBeUndefined(),
)

test('a status is a limit whatever the words beside it', () => {
  expect([429, 529].map(limitBy)).toEqual([{}, {}])
  expect([500, 401, '429', null, undefined].map(limitBy)).toEqual([null, null, null, null, null])
})
