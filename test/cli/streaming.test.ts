import { spawn } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DONE } from '../support/agent-script.ts'
import { RALPH } from '../support/ralph.ts'
import { ending, eventsOf, setStage } from './scene.ts'

/** A `claude` that answers in plain text, and keeps the words of every call: it is also asked for its version. */
function answerInText(stage: ReturnType<typeof setStage>): void {
  const path = join(stage.bin, 'claude')
  writeFileSync(path, '#!/bin/sh\necho "$@" >> ../argv\ncat > /dev/null\necho "<response>DONE</response>"\n')
  chmodSync(path, 0o755)
}

describe('what the agent does', () => {
  it('is shown as it happens, and kept whole', async () => {
    const stage = setStage()
    const wait = 'echo First words.; while [ ! -f go ]; do sleep 0.02; done; echo "<response>DONE</response>"'
    const ralph = spawn(process.execPath, [RALPH, 'run', '-p', 'x', '--', 'sh', '-c', wait], {
      cwd: stage.project,
      env: stage.env,
    })
    let shown = ''
    await new Promise<void>(resolve =>
      ralph.stdout.on('data', chunk => {
        shown += chunk
        if (shown.includes('  First words.\n')) resolve()
      }),
    )
    stage.write('go', '')
    expect(await new Promise(resolve => ralph.on('close', resolve))).toBe(0)
    expect(stage.session('iter-001/stream.ndjson')).toBe('First words.\n<response>DONE</response>\n')
  })

  it.each([
    ['by default', {}, [], 'stream-json'],
    ['by the flag', { streamAgentOutput: false }, ['--stream-agent-output'], 'stream-json'],
    ['off by the flag', { streamAgentOutput: true }, ['--no-stream-agent-output'], 'text'],
    ['off by the settings', { streamAgentOutput: false }, [], 'text'],
  ])('is streamed %s', async (_, settings, flags, format) => {
    const ran = await setStage({ settings }).ralph('run', '-p', 'x', '--dry-run', ...flags)
    expect(ran.stdout).toContain(`claude -p --output-format ${format} `)
  })

  it('is an answer in plain text when it is not streamed, and counts as one', async () => {
    const stage = setStage()
    answerInText(stage)
    expect(await stage.ralph('run', '-p', 'x', '--no-stream-agent-output')).toMatchObject(
      ending(0, 'done as claimed'),
    )
    expect(stage.read('../argv')).toContain('--output-format text')
    expect(stage.session('iter-001/stream.ndjson')).toBe('<response>DONE</response>\n')
  })

  it('is printed with its time, and a result with the id of its call', async () => {
    const stage = setStage({
      calls: [[['tool', 't1', 'Read', { file_path: 'a' }], ['toolResult', 't1', 'text'], DONE]],
    })
    const events = eventsOf(await stage.ralph('run', '-p', 'x', '--json'))
    const agent = events.filter(e => e.type === 'agent')
    const times = events.map(e => e.at)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(agent.map(e => e.event).filter(e => e.type === 'tool' || e.type === 'toolResult')).toMatchObject([
      { type: 'tool', id: 't1', name: 'Read', summary: 'a' },
      { type: 'toolResult', id: 't1', ok: true, output: 'text' },
    ])
  })

  it('that is no JSON is shown and does not end it', async () => {
    const stage = setStage({ calls: [[['print', 'npm warn: something', '{"type":'], DONE]] })
    const ran = await stage.ralph('run', '-p', 'x')
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('  npm warn: something\n')
  })

  it('counts as done only in its final text: not in the prompt, in tools or in what it says before', async () => {
    const words = '<response>DONE</response>'
    const stage = setStage({
      calls: [
        [
          ['tool', 't1', 'Bash', { command: words }],
          ['toolResult', 't1', words],
          ['json', { type: 'assistant', message: { content: [{ type: 'text', text: words }] } }],
          ['claude', 'Not yet.'],
        ],
      ],
    })
    expect(await stage.ralph('run', '-p', `Say ${words} at the end.`, '-m', '1')).toMatchObject(
      ending(1, 'not done: the one iteration is used'),
    )
  })
})

describe('before the first iteration', () => {
  it('one line says that nothing holds the agent back', async () => {
    const ran = await setStage().ralph('run', '-p', 'x')
    expect(
      ran.stderr.match(
        /^ralph: warning: unprotected: claude .*there is no sandbox \(.*; see: ralph doctor\)$/gm,
      ),
    ).toHaveLength(1)
  })
})
