import { describe, expect, test } from 'vitest'
import {
  AGENTS,
  type Cli,
  complaintIn,
  endedOf,
  exitOf,
  linesOf,
  modeOf,
  play,
  recordingsOf,
} from './play.ts'

/** How a run exited, and how it must be judged. What is not given is not there, or false, or zero. */
type Judged = {
  exit: number | string
  ok?: true
  limited?: true
  unusable?: true
  denials?: number
  text?: string
  error?: string
  /** Where the name of the recording does not tell. */
  mode?: 'stream' | 'text'
  /** Lines that are no messages. */
  unparsed?: number
}

const DONE = 'Done. <promise>COMPLETE</promise>'
const ALL_DONE = 'All done.\n\n<promise>COMPLETE</promise>'
const well = (text: string, denials = 0): Judged => ({ exit: 0, ok: true, text, denials })
/** The CLI gave the error as its result. */
const told = (error: string): Judged => ({ exit: 1, text: error, error })
const failed = (error: string): Judged => ({ exit: 1, error })
const gone = (exit: number | string): Judged => ({
  exit,
  error: `${typeof exit === 'number' ? `exit code ${exit}` : `killed by ${exit}`}, no result`,
})

const limit = (judged: Judged): Judged => ({ ...judged, limited: true })
/** Nothing is gained by waiting. */
const turnedAway = (judged: Judged): Judged => ({ ...judged, unusable: true })
/** In text mode, where the answer, or the error, is all there is on standard output. */
const printed = (text: string): Judged => ({ exit: 1, text, error: 'exit code 1' })
/** In text mode, with nothing on standard output. */
const complained: Judged = { exit: 1, mode: 'text', error: 'exit code 1', limited: true }

const TOO_MANY =
  "API Error: Request rejected (429) · This request would exceed your account's rate limit. Please try again later."
const UPGRADE =
  'You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro), visit https://chatgpt.com/settings/usage to purchase more credits or try again'
const WAIT =
  'Please wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method'
const AGAIN_IN_A_MOMENT =
  'This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:4000).'

const CLAUDE: Record<string, Judged> = {
  'bg-bash-then-done.ndjson': well('It is through. <response>DONE</response>'),
  'bg-disabled-subagent.ndjson': well('After it. <response>DONE</response>'),
  'bg-subagent-interim-done.ndjson': well('The subagent found a failing test; this is NOT finished.'),
  'bg-wait-ceiling.ndjson': well('The subagent is working.'),
  'coldstart-fresh-home.ndjson': well(DONE),
  'coldstart.ndjson': well(DONE),
  'disallowed-tools.ndjson': well('Ended. <response>DONE</response>'),
  'enter-worktree.ndjson': well('Done there.'),
  'err-400-bad-request.ndjson': told(
    'Prompt is too long · the request is ~210000 tokens (limit 200000) but this conversation is only ~2761 tokens — the rest is system prompt, tool definitions, and attachment content. A single-exchange conversation cannot be compacted; reduce attached files/tools or start with less context.',
  ),
  'err-400-credit-balance.ndjson': turnedAway(told('Credit balance is too low')),
  'err-401-default.ndjson': turnedAway(told('Invalid API key · Fix external API key')),
  'err-401-invalid-key.ndjson': turnedAway(told('Invalid API key · Fix external API key')),
  'err-401-text.txt': turnedAway(printed('Invalid API key · Fix external API key')),
  'err-404-model.ndjson': turnedAway(
    told(
      "There's an issue with the selected model (nope). It may not exist or you may not have access to it. Run --model to pick a different model.",
    ),
  ),
  'err-429-default.ndjson': { ...told('API Error: Request rejected (429) · slow down'), limited: true },
  'err-429-quota-unified.ndjson': limit(told(TOO_MANY)),
  'err-429-retries2.ndjson': {
    ...told('API Error: Request rejected (429) · Number of requests has exceeded your rate limit'),
    limited: true,
  },
  'err-429-retry-after.ndjson': limit(told(TOO_MANY)),
  'err-429-text.txt': limit(printed(TOO_MANY)),
  'err-429-then-ok.ndjson': well(DONE),
  'err-429-usage-limit-text.txt': limit(
    printed("You've hit your 5-hour limit · resets 12pm (Europe/London)"),
  ),
  'err-429-usage-limit-weekly.ndjson': limit(
    told("You've hit your weekly limit · resets Nov 19, 12pm (Europe/London)"),
  ),
  'err-429-usage-limit.ndjson': limit(told("You've hit your 5-hour limit · resets 12pm (Europe/London)")),
  'err-500-retries2.ndjson': told(`API Error: 500 Internal server error. ${AGAIN_IN_A_MOMENT}`),
  'err-500-text.txt': printed(`API Error: 500 Internal server error. ${AGAIN_IN_A_MOMENT}`),
  'err-529-retries2.ndjson': limit(told(`API Error: 529 Overloaded. ${AGAIN_IN_A_MOMENT}`)),
  'err-529-text.txt': limit(printed(`API Error: 529 Overloaded. ${AGAIN_IN_A_MOMENT}`)),
  'err-bad-flag.stderr.txt': gone(1),
  'err-connection-refused.ndjson': told(
    'API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)',
  ),
  'err-cut-stream.ndjson': told(
    'API Error: Connection dropped (ECONNRESET). Check the gateway set in ANTHROPIC_BASE_URL, then try again.',
  ),
  'err-empty-reply-text.txt': well(''),
  'err-empty-reply.ndjson': well(''),
  'err-max-budget.ndjson': failed('Reached maximum budget ($0.1)'),
  'err-max-turns.ndjson': failed('Reached maximum number of turns (1)'),
  'err-no-key.ndjson': turnedAway(told('Not logged in · Please run /login')),
  'err-stop-max_tokens.ndjson': well(DONE),
  'hello.ndjson': well('Hello there. <promise>COMPLETE</promise>'),
  'hook-include-hook-events.ndjson': well(DONE),
  'hook-posttooluse-block.ndjson': well(DONE),
  'hook-posttooluse-context.ndjson': well(DONE),
  'hook-pretooluse-deny-json.ndjson': well(DONE),
  'hook-pretooluse-exit1-nonblocking.ndjson': well(DONE),
  'hook-pretooluse-exit2.ndjson': well(DONE),
  'hook-pretooluse-missing-command.ndjson': well(DONE),
  'hook-pretooluse-timeout.ndjson': well(DONE),
  'hook-sessionstart-context.ndjson': well(DONE),
  'hook-stop-always-block.ndjson': well(''),
  'hook-stop-block.ndjson': well(DONE),
  'hook-stop-cap-env-20.ndjson': well(''),
  'hook-stop-exit2.ndjson': well(DONE),
  'hook-usage-in-transcript.ndjson': well('Done'),
  'minimal-env.ndjson': well(DONE),
  'no-prompt.stderr.txt': gone(1),
  'nonroot-skip-permissions.ndjson': well('Done'),
  'perm-acceptEdits.ndjson': well('done <promise>COMPLETE</promise>'),
  'perm-allowedTools-all.ndjson': well(ALL_DONE),
  'perm-allowedTools.ndjson': well(ALL_DONE, 1),
  'perm-auto.ndjson': well('done <promise>COMPLETE</promise>'),
  'perm-bypassPermissions.ndjson': well(ALL_DONE),
  'perm-default.ndjson': well('done <promise>COMPLETE</promise>', 2),
  'perm-manual.ndjson': well('done <promise>COMPLETE</promise>', 2),
  'plugin-dir.ndjson': well(DONE),
  'plugin-installed.ndjson': well(DONE),
  'plugin-skill.ndjson': well(DONE),
  'root-bypassPermissions-no-IS_SANDBOX.stderr.txt': gone(1),
  'root-skip-permissions-no-IS_SANDBOX.stderr.txt': gone(1),
  'schedule-wakeup-killed.ndjson': { ...well('Scheduled. <response>DONE</response>'), exit: 143 },
  'signal-SIGHUP-in-model.ndjson': gone(129),
  'signal-SIGINT-in-model.ndjson': { exit: 0, error: 'interrupted' },
  'signal-SIGKILL-group-in-tool.ndjson': gone('SIGKILL'),
  'signal-SIGKILL-in-tool.ndjson': gone('SIGKILL'),
  'signal-SIGTERM-in-model.ndjson': gone(143),
  'signal-SIGTERM-in-stream.ndjson': gone(143),
  'signal-SIGTERM-in-tool.ndjson': gone(143),
  'stdin-open-never-closed.ndjson': well(ALL_DONE),
  'stdin-plus-arg.ndjson': well(ALL_DONE),
  'stdin-prompt.ndjson': well(ALL_DONE),
  'stream-json-without-verbose.stderr.txt': gone(1),
  'stream-tools.ndjson': well(ALL_DONE),
  'subagent.ndjson': well('Main is not done yet.'),
  'text.txt': well(ALL_DONE),
  'unknown-slash.ndjson': well(DONE),
}

const CODEX: Record<string, Judged> = {
  'approve-for-me.ndjson': well(ALL_DONE),
  'assumption-prompt-file.stderr.txt': gone(2),
  'coldstart.ndjson': well(DONE),
  'err-400.ndjson': failed(
    '{"error":{"message":"bad request","type":"invalid_request_error","code":"invalid_request_error","param":null}}',
  ),
  'err-401-default-retries.ndjson': turnedAway(
    failed('unexpected status 401 Unauthorized: mock 401, url: http://127.0.0.1:4000/v1/responses'),
  ),
  'err-401.ndjson': turnedAway(
    failed(
      'unexpected status 401 Unauthorized: Incorrect API key provided, url: http://127.0.0.1:4000/v1/responses',
    ),
  ),
  'err-429-default-retries.ndjson': {
    ...failed('exceeded retry limit, last status: 429 Too Many Requests'),
    limited: true,
  },
  'err-429-quota.ndjson': turnedAway(failed('Quota exceeded. Check your plan and billing details.')),
  'err-429-retry-after.ndjson': limit(failed('exceeded retry limit, last status: 429 Too Many Requests')),
  'err-429-text.stderr.txt': complained,
  'err-429-usage-limit-days.ndjson': limit(failed(`${UPGRADE} at Nov 19th, 2026 12:30 PM.`)),
  'err-429-usage-limit-no-reset.ndjson': limit(failed(`${UPGRADE} later.`)),
  'err-429-usage-limit-text.stderr.txt': complained,
  'err-429-usage-limit.ndjson': limit(failed(`${UPGRADE} at 12:00 PM.`)),
  'err-429.ndjson': limit(failed('exceeded retry limit, last status: 429 Too Many Requests')),
  'err-500-default-retries.ndjson': failed(
    'We’re currently experiencing high demand, which may cause temporary errors.',
  ),
  'err-503-overloaded.ndjson': limit(failed('Selected model is at capacity. Please try a different model.')),
  'err-connection-refused.ndjson': gone('SIGKILL'),
  'err-cut-stream.ndjson': failed('stream disconnected before completion: error sending request'),
  'err-empty-reply.ndjson': well(''),
  'err-overloaded-mid-stream.ndjson': limit(
    failed('Selected model is at capacity. Please try a different model.'),
  ),
  'err-quota-mid-stream.ndjson': turnedAway(failed('Quota exceeded. Check your plan and billing details.')),
  'err-rate-limit-mid-stream.ndjson': limit(
    failed(
      'rate limit exceeded: Rate limit reached for gpt-5.5 in organization org-x on tokens per min (TPM): Limit 30000, Used 22999, Requested 12528. Please try again in 1.054s.',
    ),
  ),
  'full-auto.stderr.txt': gone(2),
  'hello.ndjson': well('Hello. <promise>COMPLETE</promise>'),
  'no-git-repo.stderr.txt': gone(1),
  'prompt-file-as-arg.ndjson': well(ALL_DONE),
  'sandbox-danger-full-access.ndjson': well(ALL_DONE),
  'sandbox-workspace-write.ndjson': well(ALL_DONE),
  'signal-SIGINT-in-model.ndjson': gone(1),
  'signal-SIGINT-in-tool.ndjson': gone(1),
  'signal-SIGTERM-group-in-tool.ndjson': gone('SIGTERM'),
  'signal-SIGTERM-in-tool.ndjson': gone('SIGTERM'),
  'stdin-dash.ndjson': well(ALL_DONE),
  'stdin-no-arg.ndjson': well(ALL_DONE),
  'stdin-open.stderr.txt': gone('SIGKILL'),
  'text.txt': well(ALL_DONE),
  'tools-known-model.ndjson': well(ALL_DONE),
}

const AMP: Record<string, Judged> = {
  'connection-refused.stderr.txt': gone(1),
  'execute.stderr.txt': gone(1),
  'no-key.txt': turnedAway({ ...gone('SIGKILL'), mode: 'stream', unparsed: 4 }),
  'stream-json-no-daa.stderr.txt': gone(1),
  'stream-json.stderr.txt': gone(1),
}

const OPENCODE: Record<string, Judged> = {
  'coldstart.ndjson': well(ALL_DONE),
  'denied.ndjson': { ...gone(0), denials: 1 },
  'err-401.ndjson': turnedAway(failed('Incorrect API key')),
  'err-402-credits.ndjson': turnedAway(failed('Insufficient credits')),
  'err-empty-reply.ndjson': well(''),
  'err-unknown-model.ndjson': failed('Unexpected server error. Check server logs for details.'),
  'hello.ndjson': well(ALL_DONE),
  'subagent.ndjson': well('Main is not done yet.'),
  'text.txt': well(`Making the file.\n${ALL_DONE}`),
  'tools.ndjson': well(ALL_DONE),
}

const GEMINI: Record<string, Judged> = {
  'coldstart.ndjson': well(ALL_DONE),
  'denied.ndjson': well('Could not.'),
  'err-401.ndjson': turnedAway({
    exit: 144,
    error:
      '[API Error: {"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]',
  }),
  'err-403.ndjson': turnedAway({
    exit: 147,
    error: '[API Error: {"error":{"code":403,"message":"mock","status":"PERMISSION_DENIED"}}]',
  }),
  'err-429-default-retries.ndjson': { exit: 173, limited: true, error: `[API Error: slow down]\n${WAIT}` },
  'err-429-retry-info-long.ndjson': {
    exit: 173,
    limited: true,
    error: `[API Error: Quota exceeded for quota metric. Please retry in 3600s.\nSuggested retry after 3600s.]\n${WAIT}`,
  },
  'err-429.ndjson': gone('SIGKILL'),
  'err-500.ndjson': gone('SIGKILL'),
  'err-503-overloaded.ndjson': {
    exit: 247,
    limited: true,
    error: '[API Error: The model is overloaded. Please try again later.]',
  },
  'err-connection-refused.ndjson': gone('SIGKILL'),
  'err-empty-reply.ndjson': {
    exit: 0,
    error:
      'The model returned an empty response with no text or thoughts. This may be a transient API issue; please try again.',
  },
  'err-quota.ndjson': {
    exit: 173,
    limited: true,
    error: `[API Error: You have exhausted your daily quota on this model.]\n${WAIT}`,
  },
  'hello.ndjson': well(ALL_DONE),
  'no-skip-trust.stderr.txt': gone(55),
  'signal-SIGINT.ndjson': gone(0),
  'signal-SIGTERM.ndjson': gone(0),
  'stdin-open.ndjson': well(ALL_DONE),
  'subagent.ndjson': well('Main is not done yet.'),
  'text.txt': well(`Making the file.\n${ALL_DONE}`),
  'todos.ndjson': well('Done.'),
  'tools.ndjson': well(ALL_DONE),
}

const COPILOT: Record<string, Judged> = {
  'coldstart.ndjson': well(ALL_DONE),
  'denied.ndjson': well('Could not.', 1),
  'err-401.ndjson': turnedAway(
    failed(
      'Authentication failed with provider at http://127.0.0.1:4000/v1 (HTTP 401).\n  Check your COPILOT_PROVIDER_API_KEY, COPILOT_PROVIDER_API_KEY_COMMAND, or COPILOT_PROVIDER_BEARER_TOKEN.',
    ),
  ),
  'err-402-quota.ndjson': turnedAway(failed('402 You have no quota')),
  'err-429-retry-after-text.stderr.txt': complained,
  'err-429-retry-after.ndjson': limit(failed('429 slow down')),
  'err-429.ndjson': {
    ...failed(
      'Failed to get response from the AI model; retried 5 times (total retry wait time: 56.02 seconds) Last error: 429 slow down',
    ),
    limited: true,
  },
  'err-500.ndjson': failed(
    'Failed to get response from the AI model; retried 5 times (total retry wait time: 13.84 seconds) Last error: 500 boom',
  ),
  'err-connection-refused.ndjson': failed(
    'Could not connect to local model provider at http://127.0.0.1:9/v1.\n  Check that the service is running and the port is correct.',
  ),
  'err-empty-reply.ndjson': failed('No response was returned. Send your message again to retry.'),
  'hello.ndjson': well(ALL_DONE),
  'no-auth.stderr.txt': gone(1),
  'signal-SIGINT.ndjson': gone('SIGKILL'),
  'signal-SIGTERM.ndjson': gone('SIGKILL'),
  'stdin-open.ndjson': well(ALL_DONE),
  'subagent.ndjson': well('Main is not done yet.'),
  'text-silent.txt': well(`Making the file.\n\n${ALL_DONE}\n`),
  'text.txt': well(
    `Making the file.\n\n● x (shell)\n  │ echo hi > hello.txt\n  └ No Content\n\n${ALL_DONE}\n`,
  ),
  'tools.ndjson': well(ALL_DONE),
}

const TABLES: [cli: Cli, version: string, judged: Record<string, Judged>][] = [
  ['claude', 'claude-2.1.325-', CLAUDE],
  ['codex', 'codex-0.166.0-', CODEX],
  ['amp', 'amp-0.0.1790142911-', AMP],
  ['opencode', 'opencode-1.18.33-', OPENCODE],
  ['gemini', 'gemini-0.61.0-', GEMINI],
  ['copilot', 'copilot-1.0.102-', COPILOT],
]

describe.each(TABLES)('%s', (cli, version, table) => {
  test('has a judgement for every recording', () => {
    expect(Object.keys(table).map(name => `${version}${name}`)).toEqual(recordingsOf(cli))
  })

  test.each(Object.entries(table))('%s', (name, judged) => {
    const file = `${version}${name}`
    const events = play(
      AGENTS[cli].parser(judged.mode ?? modeOf(file)),
      linesOf(cli, file),
      exitOf(judged.exit),
      complaintIn(cli, file),
    )
    const ended = endedOf(events)
    expect({
      ok: ended.ok,
      limited: events.some(e => e.type === 'limited'),
      unusable: events.some(e => e.type === 'unusable'),
      denials: ended.denials ?? 0,
      text: ended.text,
      error: ended.error,
      unparsed: events.filter(e => e.type === 'unparsed').length,
    }).toEqual({
      ok: judged.ok ?? false,
      limited: judged.limited ?? false,
      unusable: judged.unusable ?? false,
      denials: judged.denials ?? 0,
      text: judged.text ?? '',
      error: judged.error,
      unparsed: judged.unparsed ?? 0,
    })
  })
})
