import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { item, plans, setBuild } from '../cli/build-scene.ts'
import { setStage } from '../cli/scene.ts'
import type { Act } from '../support/agent-script.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'

const DONE: Act = ['claude', 'All is well. <response>DONE</response>']
const WAITS: Act[][] = [[['await', 'go'], DONE]]

const onTerminal = (stage: Pick<ReturnType<typeof setStage>, 'project' | 'env'>, ...args: string[]) =>
  openTerminal([process.execPath, RALPH, ...args], {
    cwd: stage.project,
    env: stage.env,
    columns: 80,
    rows: 24,
  })

describe('--tui', () => {
  it.each([
    [['run', '-p', 'x', '--tui'], 'the full screen needs a terminal'],
    [['run', '-p', 'x', '--tui', '--json'], '--json prints lines, and --tui shows a screen; use only one'],
    [['spawn', '-p', 'x', '--tui'], '--tui is about what this terminal shows'],
  ])('is refused where there is no screen: %j', async (args, why) => {
    const { code, stderr } = await setStage().spawn(...args)
    expect(code).toBe(2)
    expect(stderr).toContain(why)
  })
})

describe.skipIf(!hasTmux)('a run on the full screen', () => {
  it('goes on in lines when the screen is left', async () => {
    const stage = setStage({ calls: WAITS })
    const terminal = await onTerminal(stage, 'run', '-p', 'x', '-m', '3', '--tui')
    await terminal.waitFor('[output]')
    await terminal.waitFor('q leaves, it continues')
    await terminal.press('q')
    await terminal.waitFor('limits   3 iterations')
    writeFileSync(join(stage.project, 'go'), '')
    const { code, screen } = await terminal.ended()
    expect(code).toBe(0)
    expect(screen).toContain('All is well.')
    expect(screen).toContain('done as claimed')
  })

  it('shows its end until the screen is left, then prints it, and exits as ever', async () => {
    const stage = setStage({ calls: [[['claude', 'Not yet.']]] })
    const terminal = await onTerminal(stage, 'run', '-p', 'x', '-m', '1', '--tui')
    await terminal.waitFor(/at its limit/)
    await terminal.press('q')
    const { code, screen } = await terminal.ended()
    expect(code).toBe(1)
    expect(screen).toContain('not done')
    expect(screen).not.toContain('[output]')
  })

  it('is stopped by Ctrl+C as ever: after this iteration, and at once by a second one', async () => {
    const stage = setStage({ calls: [[['file', 'begun', ''], ['hang']]] })
    const terminal = await onTerminal(stage, 'run', '-p', 'x', '--tui')
    while (!existsSync(join(stage.project, 'begun'))) await terminal.waitFor('')
    await terminal.press('C-c')
    await terminal.waitFor('Stopping after this iteration')
    await terminal.press('C-c')
    expect((await terminal.ended()).code).toBe(130)
  })

  it('steps aside for a question, and comes back', async () => {
    const stage = setBuild({
      refine: [[['claude', '<refined>A better goal</refined>']]],
      plan: [plans(item(1))],
      work: { '#1': WAITS },
    })
    const terminal = await onTerminal(stage, 'build', 'a goal', '--tui')
    await terminal.waitFor('A better goal')
    await terminal.press('Enter')
    await terminal.waitFor('Work on this list?')
    await terminal.press('Enter')
    await terminal.waitFor('Making part 1')
    writeFileSync(join(stage.project, 'go'), '')
    await terminal.waitFor('done as claimed')
    await terminal.press('q')
    expect((await terminal.ended()).code).toBe(0)
  })
})

describe.skipIf(!hasTmux)('ralph resume --tui', () => {
  it('goes on with a run on the full screen', async () => {
    const stage = setStage({ calls: [[['claude', 'Not yet.']], [DONE]] })
    expect((await stage.ralph('run', '-p', 'x', '-m', '1')).code).toBe(1)
    const terminal = await onTerminal(stage, 'resume', '-m', '2', '--tui')
    await terminal.waitFor('All is well.')
    await terminal.waitFor('claimed')
    await terminal.press('q')
    expect((await terminal.ended()).code).toBe(0)
  })
})
