import { describe, expect, test } from 'vitest'
import { AGENTS, type Cli, endedOf, exitOf, linesOf, modeOf, play, recordingsOf } from './play.ts'

/** How a run exited, and how it must be judged. What is not given is not there, or false, or zero. */
type Judged = {
  exit: number | string
  ok?: true
  limited?: true
  denials?: number
  text?: string
  error?: string
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

const CLAUDE: Record<string, Judged> = {
  'coldstart-fresh-home.ndjson': well(DONE),
  'coldstart.ndjson': well(DONE),
  'err-400-bad-request.ndjson': told(
    'Prompt is too long · the request is ~210000 tokens (limit 200000) but this conversation is only ~2761 tokens — the rest is system prompt, tool definitions, and attachment content. A single-exchange conversation cannot be compacted; reduce attached files/tools or start with less context.',
  ),
  'err-401-default.ndjson': told('Invalid API key · Fix external API key'),
  'err-401-invalid-key.ndjson': told('Invalid API key · Fix external API key'),
  'err-401-text.txt': { exit: 1, text: 'Invalid API key · Fix external API key', error: 'exit code 1' },
  'err-404-model.ndjson': told(
    "There's an issue with the selected model (nope). It may not exist or you may not have access to it. Run --model to pick a different model.",
  ),
  'err-429-default.ndjson': { ...told('API Error: Request rejected (429) · slow down'), limited: true },
  'err-429-quota-unified.ndjson': {
    ...told(
      "API Error: Request rejected (429) · This request would exceed your account's rate limit. Please try again later.",
    ),
    limited: true,
  },
  'err-429-retries2.ndjson': {
    ...told('API Error: Request rejected (429) · Number of requests has exceeded your rate limit'),
    limited: true,
  },
  'err-429-then-ok.ndjson': well(DONE),
  'err-500-retries2.ndjson': told(
    'API Error: 500 Internal server error. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:4000).',
  ),
  'err-529-retries2.ndjson': {
    ...told(
      'API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:4000).',
    ),
    limited: true,
  },
  'err-bad-flag.stderr.txt': gone(1),
  'err-connection-refused.ndjson': told(
    'API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)',
  ),
  'err-empty-reply-text.txt': well(''),
  'err-empty-reply.ndjson': well(''),
  'err-max-budget.ndjson': failed('Reached maximum budget ($0.1)'),
  'err-max-turns.ndjson': failed('Reached maximum number of turns (1)'),
  'err-no-key.ndjson': told('Not logged in · Please run /login'),
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
  'err-401-default-retries.ndjson': failed(
    'unexpected status 401 Unauthorized: mock 401, url: http://127.0.0.1:4000/v1/responses',
  ),
  'err-401.ndjson': failed(
    'unexpected status 401 Unauthorized: Incorrect API key provided, url: http://127.0.0.1:4000/v1/responses',
  ),
  'err-429-default-retries.ndjson': {
    ...failed('exceeded retry limit, last status: 429 Too Many Requests'),
    limited: true,
  },
  'err-429-quota.ndjson': {
    ...failed('Quota exceeded. Check your plan and billing details.'),
    limited: true,
  },
  'err-429.ndjson': { ...failed('exceeded retry limit, last status: 429 Too Many Requests'), limited: true },
  'err-500-default-retries.ndjson': failed(
    'We’re currently experiencing high demand, which may cause temporary errors.',
  ),
  'err-connection-refused.ndjson': gone('SIGKILL'),
  'err-empty-reply.ndjson': well(''),
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

const TABLES: [cli: Cli, version: string, judged: Record<string, Judged>][] = [
  ['claude', 'claude-2.1.325-', CLAUDE],
  ['codex', 'codex-0.166.0-', CODEX],
]

describe.each(TABLES)('%s', (cli, version, table) => {
  test('has a judgement for every recording', () => {
    expect(Object.keys(table).map(name => `${version}${name}`)).toEqual(recordingsOf(cli))
  })

  test.each(Object.entries(table))('%s', (name, judged) => {
    const file = `${version}${name}`
    const events = play(AGENTS[cli].parser(modeOf(file)), linesOf(cli, file), exitOf(judged.exit))
    const ended = endedOf(events)
    expect({
      ok: ended.ok,
      limited: events.some(e => e.type === 'limited'),
      denials: ended.denials ?? 0,
      text: ended.text,
      error: ended.error,
      unparsed: events.filter(e => e.type === 'unparsed'),
    }).toEqual({
      ok: judged.ok ?? false,
      limited: judged.limited ?? false,
      denials: judged.denials ?? 0,
      text: judged.text ?? '',
      error: judged.error,
      unparsed: [],
    })
  })
})
