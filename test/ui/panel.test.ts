import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { followHome } from '../../src/ui/home.ts'
import { openShownRun } from '../../src/ui/opened-run.ts'
import type { UiPorts } from '../../src/ui/ports.ts'
import { screenStyle } from '../../src/view/style.ts'
import { item, plans, says, setBuild } from '../cli/build-scene.ts'
import { setStage } from '../cli/scene.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'

describe.skipIf(!hasTmux)('the panel of a build at work', () => {
  it('shows a failed task blocked by its bug fix, under it the fix, then both done', async () => {
    const stage = setBuild({
      settings: { baseline: false, guardrails: [{ command: 'test -f fixed' }] },
      plan: [plans(item(1), item(2, ['#1']))],
      work: {
        '#1': [says('Made it.'), says('Now it is.')],
        '#1-bug-1': [[['await', 'go'], ['file', 'fixed', ''], ...says('The file was missing.')]],
      },
    })
    const build = stage.start('build', 'x')
    const terminal = await openTerminal([process.execPath, RALPH, 'watch'], {
      cwd: stage.project,
      env: stage.env,
      columns: 80,
      rows: 24,
    })
    await terminal.waitFor(/running +build/)
    await terminal.press('Enter')
    const screen = await terminal.waitFor('\u25cf #1-bug-1 Fixing')
    expect(screen).toContain('\u25cb #1 Make part 1 \u203a blocked by #1-bug-1')
    expect(screen).toContain('\u25cb #2 Make part 2 \u203a blocked by #1')
    expect(screen).toMatch(/ 0\/3/)
    await terminal.press('C-t')
    await pause(300)
    await terminal.press('C-t')
    writeFileSync(join(stage.project, 'go'), '')
    await terminal.waitFor(/ 3\/3/)
    expect(await terminal.waitFor('done, verified')).toContain('\u2713 #1-bug-1')
    expect((await build.ended).code).toBe(0)
    await terminal.press('q')
    expect((await terminal.ended()).code).toBe(0)
  })
})

const portsOf = (stage: ReturnType<typeof setStage>): UiPorts => {
  const table = { name: 'x', first: 'work', width: 1, rounds: 0, bugs: 0, stages: {} }
  return {
    ...{ home: stage.ralphHome, env: {}, listOf: () => null, promptOf: () => null, workerOf: () => null },
    workflowOf: () => ({ command: 'run', listed: false, table, subject: '', criteriaOf: () => [] }),
    sessionOf: ({ id }) => join(stage.project, '.ralph', 'sessions', id),
    parserOf: () => ({ line: () => [], end: () => [] }),
    diffOf: async () => '',
    morning: () => {
      throw new Error('nobody asks for it')
    },
    steer: {} as UiPorts['steer'],
  }
}

describe('what the screens read', () => {
  it('is no longer watched once they are closed', async () => {
    const stage = setStage()
    expect((await stage.ralph('run', '-p', 'x', '-m', '1')).code).toBe(0)
    const ports = portsOf(stage)
    const watchers = () => process.getActiveResourcesInfo().filter(name => name === 'FSEventWrap').length
    const before = watchers()
    const id = stage.runs()[0]!.split('/').at(-1)!
    const home = followHome(ports, () => {})
    const run = openShownRun(ports, id, screenStyle(false), () => {})
    const shape = { columns: 80, isUnfolded: false, screen: 80, log: null }
    while (run.model(Date.now(), shape) === null || home.loading() > 0) await pause(10)
    expect(home.rows(Date.now())).toMatchObject([{ id, phase: 'finished', status: 'claimed' }])
    expect(watchers()).toBeGreaterThan(before)
    home.close()
    run.close()
    await expect.poll(watchers).toBeLessThanOrEqual(before)
  })

  it('is not missed if it is written between the first look and the watch', async () => {
    const stage = setStage()
    expect((await stage.ralph('run', '-p', 'x', '-m', '1')).code).toBe(0)
    const journal = join(stage.runs()[0]!, 'journal.ndjson')
    renameSync(journal, `${journal}.later`)
    const home = followHome(portsOf(stage), () => {})
    while (home.loading() > 0) await pause(10)
    renameSync(`${journal}.later`, journal)
    // What was there before is not told to a new watch.
    await pause(50)
    expect(home.rows(Date.now())).toEqual([])
    await expect.poll(() => home.rows(Date.now())).toMatchObject([{ status: 'claimed' }])
    home.close()
  })
})
