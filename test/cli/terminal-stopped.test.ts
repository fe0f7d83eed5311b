import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { leftovers, soon } from '../support/killing.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { setStage } from './scene.ts'

/** Prints without end, so that a terminal that does not read is full at once. */
const TALKS = `touch ../begun; while :; do seq 1 200; sleep 0.02; done`

/** A run on a terminal that was stopped by Ctrl+S while its agent talks. */
async function setStopped(settings: object, agent = TALKS) {
  const stage = setStage({ settings })
  const words = [process.execPath, RALPH, 'run', '-p', 'x', '-m', '1', '--', 'sh', '-c', agent]
  const terminal = await openTerminal(words, { cwd: stage.project, env: { ...stage.env, CI: '' } })
  expect(await soon(() => existsSync(join(stage.root, 'begun')))).toBe(true)
  await terminal.waitFor('iteration 1')
  await terminal.press('C-s')
  return {
    ...stage,
    terminal,
    last: () => stage.journal().at(-1),
    /** With a pause between, because two signals at once may be one. */
    async terminate(times: number) {
      for (let n = 0; n < times; n++) {
        process.kill(terminal.pid(), 'SIGTERM')
        if (n + 1 < times) await delay(1000)
      }
    },
  }
}

describe.skipIf(!hasTmux)('a terminal that does not read', () => {
  it('does not keep a run from being cancelled, nor ralph from ending after two signals', async () => {
    const run = await setStopped({ killGrace: 0.2 })
    expect((await run.ralph('cancel')).code).toBe(0)
    expect(await soon(() => run.last()?.type === 'finished')).toBe(true)
    expect(run.last()).toMatchObject({ type: 'finished', result: 'cancelled' })
    // Its last lines wait for the terminal. Nobody has to wait for them.
    await run.terminate(2)
    expect((await run.terminal.ended()).code).toBe(1)
    expect(leftovers(run.ralphHome)).toEqual([])
  })

  it('does not keep signals from ending the agent and the run', async () => {
    const run = await setStopped({ killGrace: 0.2 })
    await run.terminate(2)
    expect((await run.terminal.ended()).code).toBe(130)
    expect(run.last()).toMatchObject({ type: 'stopped', why: 'interrupted' })
    expect(leftovers(run.ralphHome)).toEqual([])
  })

  it('does not keep a timeout from ending an agent', async () => {
    const run = await setStopped({ killGrace: 0.2, iterationTimeout: 2, maxConsecutiveFailures: 1 })
    expect(await soon(() => run.last()?.type === 'finished')).toBe(true)
    expect(run.journal().filter(e => e.type === 'ended')).toMatchObject([{ how: 'timeout' }])
    await run.terminal.press('C-q')
    expect((await run.terminal.ended()).code).toBe(1)
  })
})
