import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Act, DONE } from '../support/agent-script.ts'
import { leftovers, soon } from '../support/killing.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { setRepository } from './repository.ts'

const SLOW_CHECK = 'touch ../begun; sleep 0.5; touch ../finished'
const work = (...acts: Act[]): Act[] => [['file', '../begun', ''], ...acts]

/** A run on a terminal; whatever holds one up touches `../begun`. */
async function runOnTerminal(
  options: Parameters<typeof setRepository>[0],
  prepare?: (project: string) => void,
) {
  const stage = setRepository(options)
  prepare?.(stage.project)
  const script = `trap : INT; stty -g > ../before; "${process.execPath}" "${RALPH}" run -p x; code=$?; stty -g > ../after; exit $code`
  const terminal = await openTerminal(['sh', '-c', script], { cwd: stage.project, env: stage.env })
  const has = (name: string) => existsSync(join(stage.root, name))
  expect(await soon(() => has('begun'))).toBe(true)
  return {
    ...stage,
    terminal,
    has,
    /** Ended by the user: the exit code, the terminal as it was, nothing left, and a run that can go on. */
    async expectInterrupted() {
      const { code, screen } = await terminal.ended()
      expect([code, screen]).toEqual([130, expect.stringContaining('Received signal')])
      expect(stage.read('../after')).toBe(stage.read('../before'))
      expect(stage.journal().at(-1)).toMatchObject({ type: 'stopped', why: 'interrupted' })
      expect(leftovers(stage.ralphHome)).toEqual([])
    },
    async expectResumed() {
      const resumed = await stage.ralph('resume')
      expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0)
    },
  }
}

describe.skipIf(!hasTmux)('Ctrl+C at a terminal', () => {
  it.each<[string, Parameters<typeof setRepository>[0]]>([
    [
      'does not reach the agent, which finishes; what it did is not paid twice',
      { calls: [work(['sleep', 600], ['file', '../finished', ''], DONE)] },
    ],
    [
      'lets a check finish, and the next incarnation runs what is left of them',
      { settings: { baseline: false, guardrails: [{ command: SLOW_CHECK }] } },
    ],
  ])('%s', async (_, options) => {
    const run = await runOnTerminal(options)
    await run.terminal.press('C-c')
    await run.terminal.waitFor(
      /^Received signal, shutting down\.\.\.\nStopping after this iteration\. Ctrl\+C again to stop now\.$/m,
    )
    await run.expectInterrupted()
    expect(run.has('finished')).toBe(true)
    await run.expectResumed()
    expect(run.read('../count')).toBe('.')
  })

  it('twice ends the agent and its children now', async () => {
    const stays: Act[] = [['child', { detached: true, ignoresTerm: true }], ...work(['hang'])]
    const run = await runOnTerminal({ settings: { killGrace: 0.2 }, calls: [stays, [DONE]] })
    await run.terminal.press('C-c')
    await run.terminal.waitFor('Received signal')
    await run.terminal.press('C-c')
    await run.expectInterrupted()
    await run.expectResumed()
  })

  it('lets the checks before the first iteration finish, and no agent is called', async () => {
    const run = await runOnTerminal({ settings: { guardrails: [{ command: SLOW_CHECK }] } })
    await run.terminal.press('C-c')
    await run.expectInterrupted()
    expect([run.has('finished'), run.has('count')]).toEqual([true, false])
    await run.expectResumed()
  })

  it('cuts a wait short', async () => {
    const run = await runOnTerminal({ calls: [work(['exit', 1]), [['exit', 1]], [['exit', 1]], [DONE]] })
    await run.terminal.waitFor(/waiting|next try|again in/i)
    await run.terminal.press('C-c')
    await run.expectInterrupted()
    await run.expectResumed()
  })

  it('lets a commit finish', async () => {
    const settings = { scm: { command: 'git', tasks: ['commit'] } }
    const calls: Act[][] = [[['file', 'work', ''], DONE], [['print', 'Add work']]]
    const run = await runOnTerminal({ settings, calls }, project => {
      const hook = join(project, '.git', 'hooks', 'pre-commit')
      writeFileSync(hook, '#!/bin/sh\ntouch ../begun; sleep 0.5\n')
      chmodSync(hook, 0o755)
    })
    await run.terminal.press('C-c')
    await run.expectInterrupted()
    expect(run.log()).toEqual(['Add work', 'start'])
    await run.expectResumed()
    expect(run.log()).toEqual(['Add work', 'start'])
  })
})

describe.skipIf(!hasTmux)('a terminal that is closed', () => {
  it('ends the agent now and loses nothing', async () => {
    const run = await runOnTerminal({ settings: { killGrace: 0.2 }, calls: [work(['hang']), [DONE]] })
    await run.terminal.close()
    expect(await soon(() => run.journal().at(-1)?.type === 'stopped')).toBe(true)
    expect(await soon(() => leftovers(run.ralphHome).length === 0)).toBe(true)
    await run.expectResumed()
  })
})

describe.skipIf(process.platform !== 'linux')(
  'a signal while the agent is still asked what it can do',
  () => {
    it('is not held up by that, and nothing is left', async () => {
      const stage = setRepository({ calls: [work(['sleep', 300], DONE)] })
      const path = join(stage.bin, 'claude')
      const slow = readFileSync(path, 'utf8').replace('--version) exit 0', '--version) sleep 60')
      writeFileSync(path, slow)
      const ralph = stage.start('run', '-p', 'x')
      expect(await soon(() => existsSync(join(stage.root, 'begun')))).toBe(true)
      ralph.kill('SIGTERM')
      expect((await ralph.ended).code).toBe(130)
      expect(leftovers(stage.ralphHome)).toEqual([])
      expect((await stage.ralph('resume')).code).toBe(0)
    })
  },
)
