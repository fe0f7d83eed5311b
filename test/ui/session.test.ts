import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { item, plans, says } from '../cli/build-scene.ts'
import type { Act } from '../support/agent-script.ts'
import { RALPH } from '../support/ralph.ts'
import { hasTmux, openTerminal } from '../support/terminal.ts'
import { setWorkers } from '../workers/scene.ts'

const task = (id: string, ...calls: Act[][]): [string, string, ...Act[][]] => [
  id,
  `^# Your task: .*\\(${id}\\)$`,
  ...calls,
]

describe.skipIf(!hasTmux)('an evening and a morning with a worker', () => {
  it('is watched, paused, told, looked into, answered, left and opened again', async () => {
    const stage = setWorkers({
      settings: { baseline: false, guardrails: [{ command: 'ls fixed' }] },
      answers: [
        ['plan', '<specification>', plans(item(1), item(2, ['#1']), item(3, ['#1']))],
        task('#1', [['await', 'one'], ...says('Made it.')], says('Now it is.')),
        task('#1-bug-1', [['await', 'fix'], ['file', 'fixed', ''], ...says('The file was missing.')]),
        task('#2', says('<blocked>Which database?</blocked>'), says('Stored it.')),
        task('#3', [['await', 'three'], ...says('Printed it.')]),
      ],
    })
    const go = (name: string) => writeFileSync(join(stage.project, name), '')
    const open = (...words: string[]) =>
      openTerminal([process.execPath, RALPH, 'watch', ...words], {
        cwd: stage.root,
        env: { ...stage.env, PAGER: `cp -t ${stage.root}` },
        columns: 80,
        rows: 24,
      })
    expect((await stage.ralph('spawn', 'build', 'A shop', '--name', 'night')).code).toBe(0)
    const terminal = await open()
    await terminal.waitFor(/night +running +build +0\/3 #1/)
    await terminal.press('p')
    await terminal.waitFor('paused ralph loop for night')
    await terminal.press('i')
    await terminal.type('Use tabs', 'Enter')
    await terminal.waitFor('told run')
    await terminal.press('r')
    await terminal.waitFor('resumed ralph loop for night')
    go('one')
    await terminal.press('Enter')
    await terminal.waitFor('Fixing ls fixed')
    await terminal.press('5')
    await terminal.waitFor('\u2717 ls fixed')
    await terminal.press('L')
    const log = join(stage.root, 'guardrail_002_ls_fixed.log')
    await expect.poll(() => existsSync(log)).toBe(true)
    go('fix')
    await terminal.waitFor('asks: Which database?')
    await terminal.press('a')
    await terminal.type('Postgres', 'Enter')
    await terminal.waitFor('told run')
    go('three')
    await terminal.waitFor(/build \u00b7 night .* verified/)
    await terminal.press('q')
    expect((await terminal.ended()).code).toBe(0)

    const prompts = stage.asked()
    expect(prompts.filter(({ prompt }) => prompt.includes('Use tabs')).map(({ name }) => name)).toContain(
      '#2',
    )
    expect(prompts.findLast(({ name }) => name === '#2')?.prompt).toContain('Postgres')
    expect(readFileSync(log, 'utf8')).toContain('No such file')
    const again = await open('night')
    await again.waitFor('done, verified')
    await again.press('q')
    expect((await again.ended()).code).toBe(0)
  })
})
