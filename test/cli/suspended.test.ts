import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { DONE } from '../support/agent-script.ts'
import { soon } from '../support/killing.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { setStage } from './scene.ts'

/** Long enough for a busy machine. */
const TIMEOUT_S = 8
/** Longer than any timeout of these runs. */
const HELD_MS = 11_000

const settings = {
  inactivityTimeout: TIMEOUT_S,
  iterationTimeout: TIMEOUT_S,
  baseline: false,
  guardrails: [{ command: 'touch ../checking; sleep 0.2', timeout: TIMEOUT_S }],
}

/** An agent that ends once it is released. If it is called again, that shows. */
function setHeld() {
  const stage = setStage({
    settings,
    calls: [[['file', '../begun', ''], ['until', '../released'], DONE], [DONE]],
  })
  return {
    ...stage,
    until: (name: string) => soon(() => existsSync(join(stage.root, name))),
    release: () => writeFileSync(join(stage.root, 'released'), ''),
  }
}

type Held = ReturnType<typeof setHeld>

/** Holds ralph once a file is there, for longer than its timeouts. */
async function holdAt(name: string, stage: Held, meanwhile = () => {}) {
  const ralph = stage.start('run', '-p', 'x')
  expect(await stage.until(name)).toBe(true)
  ralph.kill('SIGSTOP')
  meanwhile()
  await delay(HELD_MS)
  ralph.kill('SIGCONT')
  return ralph
}

describe('a ralph that is suspended', () => {
  it('neither stops nor repeats an agent that worked or ended meanwhile, nor a check', async () => {
    const [ended, worked, checked] = [setHeld(), setHeld(), setHeld()]
    checked.release()
    const runs = await Promise.all([
      holdAt('begun', ended, ended.release),
      holdAt('begun', worked),
      holdAt('checking', checked),
    ])
    worked.release()
    expect((await Promise.all(runs.map(run => run.ended))).map(({ code }) => code)).toEqual([0, 0, 0])
    for (const stage of [ended, worked, checked]) {
      expect(stage.read('../count')).toBe('.')
      expect(stage.journal().filter(e => e.type === 'ended')).toMatchObject([{ how: 'exited' }])
    }
  })
})

describe.skipIf(!hasTmux)('Ctrl+Z at a terminal', () => {
  it('for longer than the timeouts, then fg, goes on with the same agent', async () => {
    const stage = setHeld()
    const terminal = await openTerminal(['bash', '--norc', '-i'], {
      cwd: stage.project,
      env: { ...stage.env, HISTFILE: '/dev/null' },
    })
    await terminal.type(`"${process.execPath}" "${RALPH}" run -p x; echo "exit $?"`, 'Enter')
    expect(await stage.until('begun')).toBe(true)
    await terminal.press('C-z')
    await terminal.waitFor('Stopped')
    await delay(HELD_MS)
    stage.release()
    await terminal.type('fg; echo "exit $?"', 'Enter')
    await terminal.waitFor('done, verified')
    await terminal.waitFor('exit 0')
    expect(stage.read('../count')).toBe('.')
  })
})
