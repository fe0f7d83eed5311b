import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { startMockModel, type Turn } from '../support/loopback-model.mjs'
import { runRalph } from '../support/ralph.ts'
import { scratch } from '../support/scratch.ts'
import { BIN, CLIS, furnish } from './clis.ts'

/** A project whose guardrail wants a file that says `right`. */
function makeProject(): { project: string; home: string } {
  const root = scratch('ralph-real-')
  const project = join(root, 'project')
  const home = join(root, 'home')
  mkdirSync(join(project, '.ralph'), { recursive: true })
  mkdirSync(home)
  const command = "grep -q right answer.txt || { echo 'answer.txt must say right'; exit 3; }"
  writeFileSync(
    join(project, '.ralph', 'settings.json'),
    JSON.stringify({ guardrails: [{ command, hint: 'Mind the wording.' }] }),
  )
  execFileSync('git', ['init', '-q'], { cwd: project })
  return { project, home }
}

async function loop(cli: string, turns: Turn[], extra: string[] = []) {
  const { model, env } = CLIS[cli]!
  const { project, home } = makeProject()
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
      ...extra,
    ],
    {
      cwd: project,
      env: {
        HOME: home,
        RALPH_HOME: join(home, '.ralph'),
        PATH: `${BIN}:${process.env.PATH}`,
        ...env(mock.url),
      },
    },
  )
  const events = ran.stdout
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as RunEvent)
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
