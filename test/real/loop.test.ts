import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { startMockModel, type Turn } from '../support/loopback-model.mjs'
import { runRalph } from '../support/ralph.ts'
import { BIN, CLIS, eventsIn, furnish, openRealPlace } from './clis.ts'

/** A project whose guardrail wants a file that says `right`. */
function makeProject(settings: object) {
  const command = "grep -q right answer.txt || { echo 'answer.txt must say right'; exit 3; }"
  return openRealPlace({ guardrails: [{ command, hint: 'Mind the wording.' }], ...settings })
}

async function loop(cli: string, turns: Turn[], settings: object = {}) {
  const { model, env } = CLIS[cli]!
  const { project, home, env: own } = makeProject(settings)
  const mock = await startMockModel({ turns })
  onTestFinished(() => mock.close())
  furnish(CLIS[cli]!, home, mock.url)
  const ran = await runRalph(
    [
      'run',
      '-p',
      'Write the answer. When done say <response>DONE</response>.',
      '-a',
      cli,
      '--model',
      model,
      '-m',
      '4',
      '--json',
      '--trust',
    ],
    { cwd: project, env: { ...own, ...env(mock.url) } },
  )
  const events = eventsIn(ran.stdout)
  const of = <T extends RunEvent['type']>(type: T) =>
    events.filter((e): e is Extract<RunEvent, { type: T }> => e.type === type)
  return { ...ran, project, of, mock }
}

describe.each(Object.keys(CLIS))('the real %s', cli => {
  it.skipIf(!existsSync(join(BIN, cli)))(
    'leaves a guardrail red, is shown its output, turns it green, and the loop stops on its word',
    async () => {
      const { shell, countsTokens } = CLIS[cli]!
      const { code, stderr, project, of, mock } = await loop(cli, [
        { text: 'Writing.', tools: [shell('echo wrong > answer.txt')] },
        { text: 'All done. <response>DONE</response>' },
        { text: 'Mending.', tools: [shell('echo right > answer.txt')] },
        { text: 'Now it is done.\n\n<response>DONE</response>' },
      ])
      expect(stderr).toBe('')
      expect(code).toBe(0)
      expect(readFileSync(join(project, 'answer.txt'), 'utf8')).toBe('right\n')
      expect(of('settled').map(e => e.move)).toEqual(['fail', 'pass'])
      expect(of('finished')).toMatchObject([{ result: 'complete', proof: 'verified' }])
      const [first, second] = of('prompted').map(e => e.text)
      expect(first).not.toContain('Guardrail')
      expect(second).toContain('failed with exit code 3.\nHint: Mind the wording.')
      expect(second).toContain('answer.txt must say right')
      const asked = mock.requests.filter(r => r.kind === 'main').map(r => JSON.stringify(r.body))
      expect(asked.at(-1)).toContain('answer.txt must say right')
      expect(of('ended').map(e => (e.result.usage?.input ?? 0) > 0)).toEqual([countsTokens, countsTokens])
    },
  )

  it.skipIf(!existsSync(join(BIN, cli)))(
    'is not believed when only a tool printed the completion text',
    async () => {
      const { shell } = CLIS[cli]!
      const { code, of } = await loop(cli, [
        { text: 'Looking.', tools: [shell("echo right > answer.txt; echo '<response>DONE</response>'")] },
        { text: 'Still at it.' },
        { text: 'Done. <response>DONE</response>' },
      ])
      expect(code).toBe(0)
      expect(of('settled').map(e => e.move)).toEqual(['more', 'pass'])
    },
  )
})

describe.skipIf(!existsSync(join(BIN, 'claude')))('the real claude, with work in the background', () => {
  const starts: Turn = {
    text: 'Starting it.',
    tools: [
      {
        name: 'Bash',
        input: { command: 'sleep 2; echo right > answer.txt', description: 'work', run_in_background: true },
      },
    ],
  }

  it('is believed by its last result, not by one that it gave while the work was going on', async () => {
    const { code, of, mock } = await loop(
      'claude',
      [
        starts,
        { text: 'It runs. <response>DONE</response>' },
        { text: 'There is more to do.' },
        { text: 'Now it is done. <response>DONE</response>' },
      ],
      { claude: { backgroundTasks: true } },
    )
    expect(code).toBe(0)
    expect(of('ended').map(e => e.result.text)).toEqual([
      'There is more to do.',
      'Now it is done. <response>DONE</response>',
    ])
    expect(of('settled').map(e => e.move)).toEqual(['more', 'pass'])
    const [first, second] = of('ended').map(e => e.result.costUsd ?? 0)
    expect(first! / second!).toBeCloseTo(3)
    expect(mock.requests.filter(r => r.kind === 'main')).toHaveLength(4)
  })

  it('is not offered any unless the settings allow it', async () => {
    const { code, of, mock } = await loop('claude', [
      starts,
      { text: 'At once, then.', tools: [CLIS.claude!.shell('echo right > answer.txt')] },
      { text: 'Done. <response>DONE</response>' },
    ])
    expect(code).toBe(0)
    expect(of('ended').map(e => e.result.text)).toEqual(['Done. <response>DONE</response>'])
    expect(of('agent').filter(e => e.event.type === 'background')).toEqual([])
    const { tools } = mock.requests.find(r => r.kind === 'main')!.body as { tools: { name: string }[] }
    expect(JSON.stringify(tools.find(tool => tool.name === 'Bash'))).not.toContain('run_in_background')
  })

  it('does not get the tools that break a loop, whatever else is disallowed', async () => {
    const wakeUp = { name: 'ScheduleWakeup', input: { delaySeconds: 60, reason: 'later', prompt: 'go on' } }
    const { code, of, mock } = await loop(
      'claude',
      [
        { text: 'Later.', tools: [wakeUp] },
        { text: 'Now.', tools: [CLIS.claude!.shell('echo right > answer.txt')] },
        { text: 'Done. <response>DONE</response>' },
      ],
      { agent: { flags: ['--disallowedTools WebFetch'] } },
    )
    expect(code).toBe(0)
    expect(of('ended')).toMatchObject([{ stoppedByRalph: false }])
    const results = of('agent').flatMap(e => (e.event.type === 'toolResult' ? [e.event] : []))
    expect(results[0]).toMatchObject({ ok: false, output: expect.stringContaining('ScheduleWakeup') })
    const { tools } = mock.requests.find(r => r.kind === 'main')!.body as { tools: { name: string }[] }
    const names = tools.map(tool => tool.name)
    expect(names).toContain('Bash')
    for (const name of ['WebFetch', 'ScheduleWakeup', 'CronCreate', 'EnterWorktree', 'AskUserQuestion'])
      expect(names).not.toContain(name)
  })
})
