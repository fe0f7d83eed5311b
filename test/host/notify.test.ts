import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { notifier } from '../../src/host/notify.ts'
import { item, plans, says, setBuild } from '../cli/build-scene.ts'
import { setStage } from '../cli/scene.ts'
import { scratch } from '../support/scratch.ts'
import { DONE, setPrompt } from './hosted-prompt.ts'

/** A server on loopback that keeps what it gets, and answers as told. */
async function listen(answer: (url: string) => number | null = () => 200) {
  const got: { url: string; body: Record<string, string> }[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', chunk => {
      text += chunk
    })
    request.on('end', () => {
      got.push({ url: request.url ?? '', body: JSON.parse(text) })
      const status = answer(request.url ?? '')
      if (status !== null) response.writeHead(status, { location: '/other' }).end()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

const KEEP = `printf '%s|%s|%s|%s\\n' "$RALPH_NOTIFY_KIND" "$RALPH_NOTIFY_TITLE" "$RALPH_NOTIFY_TEXT" "\${OPENAI_API_KEY-none}" >> ../told`
const told = (run: { read(name: string): string | null }) => (run.read('../told') ?? '').trim().split('\n')
const warningsOf = (events: readonly RunEvent[]) => events.flatMap(e => (e.type === 'warned' ? e.note : []))

describe('a command and a webhook', () => {
  it('hear of the end once, with no terminal', async () => {
    const { got, url } = await listen()
    const run = setPrompt({ calls: [DONE], settings: { notify: { command: KEEP, webhook: url } } })
    expect(await run.host()).toBe(0)
    expect(told(run)).toEqual(['end|ralph run in project|done as claimed: nothing verified it|none'])
    const text = 'ralph run in project: done as claimed: nothing verified it'
    expect(got).toEqual([
      {
        url: '/hook',
        body: {
          kind: 'end',
          title: 'ralph run in project',
          text,
          content: text,
          run: expect.stringMatching(/^\d{8}-/),
          project: run.project,
        },
      },
    ])
  })

  it.each([
    ['all its iterations, and has', ['-m', '1', '-c', ''], 'the one iteration is used'],
    ['one that goes well, and has', ['--once'], 'the iteration went well'],
    [
      'one that goes well, and has not',
      ['--once', '--check', 'false'],
      'not done: the one iteration is used',
    ],
  ])('and the report hear of a run that was asked for %s: that is how it ended', async (_, flags, text) => {
    const stage = setStage({ settings: { notify: { command: KEEP } }, calls: [[['claude', 'ok']]] })
    await stage.ralph('run', '-p', 'x', ...flags)
    expect(told(stage).map(line => line.split('|')[2])).toEqual([text])
    expect((await stage.ralph('report')).stdout).toContain(`  result    ${text}\n`)
    expect((await stage.ralph('status')).stdout).toContain(`  last       ${text}\n`)
  })

  it('hear of a question', async () => {
    const stage = setBuild({
      plan: [plans(item(1))],
      work: { '#1': [says('<blocked>Which database?</blocked>')] },
      settings: { notify: { command: KEEP } },
    })
    await stage.ralph('build', 'x')
    expect(told(stage)[0]).toMatch(/^question\|ralph build in project\|#1 asks: Which database\?\|/)
    expect(told(stage)).toHaveLength(2)
  })

  it('hear of a limit once, however often the agent is tried again', async () => {
    const limited = [
      [
        'json',
        {
          type: 'rate_limit_event',
          rate_limit_info: { status: 'rejected', resetsAt: Math.floor(Date.now() / 1000) + 2 },
        },
        {
          type: 'result',
          subtype: 'success',
          is_error: true,
          api_error_status: 429,
          result: "You've hit your limit",
        },
      ],
      ['exit', 1],
    ] as [string, ...unknown[]][]
    const stage = setStage({
      settings: { notify: { command: KEEP } },
      calls: [limited, [['claude', '<response>DONE</response>']]],
    })
    expect((await stage.ralph('run', '-p', 'x')).code).toBe(0)
    expect(told(stage).map(line => line.split('|')[0])).toEqual(['limit', 'end'])
    expect(told(stage)[0]).toContain('waiting: claude limited')
  })

  it('hear no secrets', async () => {
    const { got, url } = await listen()
    const run = setPrompt({
      calls: ['echo x >> a; echo work'],
      settings: {
        guardrails: [{ command: 'TOKEN=sk-abcdefghijklmnop1234 false' }],
        stuckAfter: 1,
        notify: { webhook: url },
      },
      files: { a: '' },
    })
    await run.host()
    expect(JSON.stringify(got)).not.toContain('sk-abcdefghijklmnop1234')
  })

  it('never stop a run, and what goes wrong with them is a warning', async () => {
    const { url } = await listen(() => 302)
    const run = setPrompt({ calls: [DONE], settings: { notify: { command: 'exit 3', webhook: url } } })
    expect(await run.host()).toBe(0)
    expect(warningsOf(run.journal()).sort()).toEqual([
      'notify.command did not work: exit code 3',
      'notify.webhook did not work: no answer (the request failed)',
    ])
    expect(JSON.stringify(warningsOf(run.journal()))).not.toContain('127.0.0.1')
  })

  it('are ended if they take too long', async () => {
    const { url } = await listen(() => null)
    const warnings: string[] = []
    const { onEvent, close } = notifier({
      settings: { command: 'sleep 600', webhook: url, bell: false, title: false, desktop: false },
      run: { id: 'r', project: scratch(), command: 'run', asked: { condition: true, once: false } },
      env: {},
      childEnv: { PATH: process.env.PATH ?? '' },
      warn: note => warnings.push(note),
      timeoutMs: 200,
    })
    onEvent({ type: 'finished', at: 0, result: 'complete', proof: 'verified', why: 'complete' })
    await close?.()
    expect(warnings.sort()).toEqual([
      'notify.command did not work: it took longer than 0.2 s and was ended',
      'notify.webhook did not work: it did not answer within 0.2 s',
    ])
  })
})

it('the desktop hears of it by notify-send where there is one', async () => {
  const stage = setStage()
  const program = join(stage.bin, 'notify-send')
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > "${stage.root}/sent"\n`)
  chmodSync(program, 0o755)
  await stage.ralph('run', '-p', 'x')
  expect(existsSync(join(stage.root, 'sent'))).toBe(false)
  await stage.withEnv({ ...stage.env, DISPLAY: ':0' }, 'run', '-p', 'x')
  expect(readFileSync(join(stage.root, 'sent'), 'utf8').split('\n')).toEqual([
    '--app-name=ralph',
    '--',
    'ralph run in project',
    'done as claimed: nothing verified it',
    '',
  ])
})
