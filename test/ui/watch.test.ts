import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { setStage } from '../cli/scene.ts'
import { type Act, saying } from '../support/agent-script.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { runOnDisk } from './run-on-disk.ts'

const DONE: Act = ['claude', 'All is well. <response>DONE</response>']

type Stage = ReturnType<typeof setStage>

const openWatch = (stage: Stage, ...args: string[]) =>
  openTerminal([process.execPath, RALPH, 'watch', ...args], {
    cwd: stage.project,
    env: stage.env,
    columns: 80,
    rows: 24,
  })

describe('ralph watch', () => {
  it('needs a terminal, and says what shows the same in lines', async () => {
    const stage = setStage()
    const { code, stderr } = await stage.spawn('watch')
    expect(code).toBe(2)
    expect(stderr).toBe('ralph: error: the full screen needs a terminal; without one, use ralph ls\n')
  })

  it('knows no run that there is not', async () => {
    const { code, stderr } = await setStage().spawn('watch', 'nobody')
    expect(code).toBe(2)
    expect(stderr).toContain('no run "nobody"')
  })
})

describe.skipIf(!hasTmux)('the screen of all runs', () => {
  it('shows a run as it begins, works and ends, and leaves the terminal as it was', async () => {
    const stage = setStage({ calls: [[['await', 'go'], DONE]] })
    const terminal = await openWatch(stage)
    await terminal.waitFor('No run yet')
    const ended = stage.start('run', '-p', 'x', '-m', '3')
    await terminal.waitFor(/running +run +1\/3/)
    await terminal.press('Enter')
    await terminal.waitFor(/iteration 1\/3/)
    writeFileSync(join(stage.project, 'go'), '')
    await terminal.waitFor('All is well.')
    await terminal.waitFor('done as claimed')
    expect((await ended.ended).code).toBe(0)
    await terminal.press('Escape')
    await terminal.waitFor(/claimed +run/)
    await terminal.press('q')
    const { code, screen } = await terminal.ended()
    expect(code).toBe(0)
    expect(screen).not.toContain('NAME')
  })

  it('pauses a run and lets it go on, as the commands do', async () => {
    const stage = setStage({
      calls: [[['await', 'go'], saying('More.')], [DONE]],
    })
    const ended = stage.start('run', '-p', 'x', '-m', '3')
    const terminal = await openWatch(stage)
    await terminal.waitFor('running')
    await terminal.press('p')
    await terminal.waitFor('paused run')
    writeFileSync(join(stage.project, 'go'), '')
    await terminal.waitFor(/paused +run/)
    await terminal.press('r')
    expect((await ended.ended).code).toBe(0)
    expect(stage.journal().filter(e => e.type === 'control')).toMatchObject([
      { hold: 'pause' },
      { hold: null },
    ])
  })
})

describe.skipIf(!hasTmux)('the list of a build on the screen', () => {
  it('follows its file: an edit by hand at once, the last good list while the file is half written', async () => {
    const stage = setStage()
    const run = runOnDisk(stage)
    const items = (content: string) => JSON.stringify([{ id: '#1', content }, { content: 'Add a till' }])
    const terminal = await openWatch(stage, run.id)
    await terminal.waitFor('\u25cb #1 Make a cart')
    run.writeList(items('Make a larger cart'))
    await terminal.waitFor('\u25cb #1 Make a larger cart')
    await terminal.waitFor('\u25cb Add a till')
    run.writeList(items('Make').slice(0, 20))
    run.record({ type: 'instructed', text: 'Hurry' })
    const screen = await terminal.waitFor('instruction: Hurry')
    expect(screen).toContain('Make a larger cart')
    await terminal.press('q')
    await terminal.ended()
  })
})
