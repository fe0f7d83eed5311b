import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { leftovers, soon } from '../support/killing.ts'
import { RALPH } from '../support/ralph.ts'
import { setStage } from './scene.ts'

const LINES_PER_MB = 1024

/** Prints so many numbered lines of a KB each, says after each MB how far it is, and then does this. */
const printer = (megabytes: number, then = 'true') => `
  printf 0 > progress
  awk 'BEGIN {
    dots = sprintf("%1023s", ""); gsub(/ /, ".", dots)
    for (mb = 0; mb < ${megabytes}; mb++) {
      for (i = 0; i < ${LINES_PER_MB}; i++) { n = mb * ${LINES_PER_MB} + i; print n substr(dots, length(n) + 1) }
      fflush(); printf "%d", mb + 1 > "progress"; close("progress")
    }
  }'
  ${then}`

/** A run whose output nobody reads yet, of an agent that prints. */
function setRun(agent: string, ...args: string[]) {
  const stage = setStage()
  const words = ['run', '-p', 'x', '-c', '', '-m', '1', ...args, '--', 'sh', '-ec', agent]
  const ralph: ChildProcess = spawn(process.execPath, [RALPH, ...words], {
    cwd: stage.project,
    env: stage.env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void ralph.kill('SIGKILL'))
  const path = join(stage.project, 'progress')
  const progress = () => Number(readFileSync(path, 'utf8'))
  const begun = async () => expect(await soon(() => existsSync(path))).toBe(true)
  return {
    ...stage,
    ralph,
    progress,
    begun,
    gone: new Promise<number | null>(resolve => ralph.once('exit', resolve)),
    /** How far the agent came, once it comes no further. */
    async stuck(): Promise<number> {
      await begun()
      let before = -1
      while (progress() !== before) {
        before = progress()
        await delay(700)
      }
      return before
    },
    async read(): Promise<string> {
      let text = ''
      for await (const chunk of ralph.stdout!.setEncoding('utf8')) text += chunk
      return text
    },
  }
}

const numbersIn = (text: string, pattern: RegExp): number[] =>
  [...text.matchAll(pattern)].map(m => Number(m[1]))

it.each([
  ['as lines', [], /^ *(\d+)\.\.\./gm],
  ['as JSON', ['--json'], /"text":"(\d+)\.\.\./g],
])('an agent waits for who reads its output %s, and all of it arrives in order', async (_, args, pattern) => {
  const run = setRun(printer(16), ...args)
  expect(await run.stuck()).toBeLessThan(8)
  const text = await run.read()
  expect(await run.gone).toBe(0)
  expect(numbersIn(text, pattern)).toEqual(Array.from({ length: 16 * LINES_PER_MB }, (_, i) => i))
})

it('an agent that waits for the reader is not taken for a silent one', async () => {
  const run = setRun(printer(16), '--json', '--inactivity-timeout', '1')
  expect(await run.stuck()).toBeLessThan(8)
  await delay(2000)
  const text = await run.read()
  expect(await run.gone).toBe(0)
  const settled = text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as RunEvent)
  expect(settled.find(e => e.type === 'settled')).toMatchObject({ end: 'ok' })
})

it('an agent that falls silent is ended, though nobody reads', async () => {
  const run = setRun(printer(1, 'sleep 60'), '--json', '--inactivity-timeout', '1')
  await run.begun()
  expect(await soon(() => run.journal().some(e => e.type === 'settled'), 30_000)).toBe(true)
  expect(run.journal().find(e => e.type === 'settled')).toMatchObject({ end: 'inactive' })
})

it.each(['SIGINT', 'SIGTERM'] as const)('%s lets an agent finish whose output nobody reads', async signal => {
  const run = setRun(printer(16), '--json')
  expect(await run.stuck()).toBeLessThan(8)
  run.ralph.kill(signal)
  expect(await run.gone).toBe(130)
  expect(run.progress()).toBe(16)
  expect(run.journal().at(-1)).toMatchObject({ type: 'stopped', why: 'interrupted' })
})

it('SIGINT twice ends an agent now whose output nobody reads', async () => {
  const run = setRun(printer(1e9), '--json')
  await run.stuck()
  run.ralph.kill('SIGINT')
  // Two at once may be one.
  await delay(1000)
  run.ralph.kill('SIGINT')
  expect(await run.gone).toBe(130)
  expect(run.journal().at(-1)).toMatchObject({ type: 'stopped', why: 'interrupted' })
  expect(leftovers(run.ralphHome)).toEqual([])
})

it('a reader that goes away while it is behind holds nothing up', async () => {
  const run = setRun(printer(16), '--json')
  expect(await run.stuck()).toBeLessThan(8)
  run.ralph.stdout!.destroy()
  expect(await run.gone).toBe(0)
  expect(run.progress()).toBe(16)
})
