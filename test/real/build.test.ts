import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HALF_EDITED } from '../../src/workflows/shared/prompt-parts.ts'
import { leftovers, soon } from '../support/killing.ts'
import { type Ask, answerTo, buildScene } from './build-scene.ts'
import { BIN } from './clis.ts'

/** What the model is asked for in a build that nothing disturbs, call by call. */
const CALLS = ['refine', 'plan', '#1', '#1', '#3', '#3', '#2', '#2', '#2-bug-1', '#2-bug-1', '#2', '#2']

const STEPS = [
  ['plan', 'refine', 'pass'],
  ['plan', 'decompose', 'pass'],
  ['#1', 'work', 'pass'],
  ['#3', 'work', 'pass'],
  ['#2', 'work', 'fail'],
  ['#2-bug-1', 'fix', 'pass'],
  ['#2', 'work', 'pass'],
]

const what = (asks: readonly Ask[]) => asks.map(ask => ask.what)
const promptOf = (asks: readonly Ask[], task: string) => asks.filter(ask => ask.what === task)

describe.skipIf(!existsSync(join(BIN, 'claude')))('a build with the real claude', () => {
  it('refines, plans, works in the order of the blockers, fixes a red check, and is verified', async () => {
    const scene = await buildScene()
    const { code, stderr } = await scene.build().ended
    expect(stderr).not.toContain('error')
    expect(code).toBe(0)

    expect(what(scene.asks)).toEqual(CALLS)
    expect(scene.asks[0]!.prompt).toContain('<request>\nA poem about rain\n</request>')
    expect(scene.asks[1]!.prompt).toContain('A poem about rain, in poem.txt.')
    expect(promptOf(scene.asks, '#2-bug-1')[0]!.prompt).toContain('poem.txt must say right')
    expect(scene.read('poem.txt')).toBe('right\n')

    expect(scene.of('settled').map(e => [e.task, e.stage, e.move])).toEqual(STEPS)
    expect(scene.of('finished')).toMatchObject([{ result: 'complete', proof: 'verified' }])
    expect(scene.of('edited').filter(e => e.by === 'agent')).toEqual([])
    expect(scene.list().map(({ id, status, blockedBy }) => [id, status, blockedBy])).toEqual([
      ['#1', 'completed', undefined],
      ['#2', 'completed', undefined],
      ['#2-bug-1', 'completed', undefined],
      ['#3', 'completed', undefined],
    ])
    const headings = scene
      .progress()
      .split('\n')
      .filter(line => /^(?:## |- [✓✗] |- Bug fix)/.test(line))
      .map(line => line.replace(/ \(\d{4}-.*\)$/, ''))
    expect(headings).toEqual([
      '## Goal, refined',
      '## Plan: 3 tasks',
      '## Iteration 3 — #1: Write the theme',
      '- ✓ Status: completed',
      '## Iteration 4 — #3: Write the title',
      '- ✓ Status: completed',
      '## Iteration 5 — #2: Write the poem',
      '- ✗ Status: failing',
      expect.stringMatching(/^- Bug fix added: #2-bug-1: Fix: /),
      expect.stringMatching(/^## Iteration 6 — #2-bug-1: Fix: /),
      '- ✓ Status: completed',
      '## Iteration 7 — #2: Write the poem',
      '- ✓ Status: completed',
      '## End: complete, verified',
    ])
  })

  it.each([
    ['makes the plan', 'plan', { paid: ['plan'], settled: 1 }],
    ['works on a task', '#3', { paid: ['#3', '#3'], settled: 3 }],
  ])(
    'killed while claude %s, resumes to the same end, and only that call is paid twice',
    async (_, task, { paid, settled }) => {
      let hangs = true
      const scene = await buildScene(ask => {
        const isLast = ask.what === task && ask.isAnswered === paid.length > 1
        return hangs && isLast ? { hang: true } : answerTo(ask)
      })
      const ralph = scene.build()
      const isWaiting = () => what(scene.asks).filter(asked => asked === task).length === paid.length
      expect(await soon(isWaiting, 60_000)).toBe(true)
      expect(leftovers(scene.ralphHome).join('\n')).toContain('claude')
      ralph.kill('SIGKILL')
      expect((await ralph.ended).signal).toBe('SIGKILL')
      expect(await soon(() => leftovers(scene.ralphHome).length === 0)).toBe(true)
      expect(scene.of('settled').length).toBe(settled)

      hangs = false
      const { code } = await scene.resume().ended
      expect(code).toBe(0)
      const place = CALLS.indexOf(task)
      expect(what(scene.asks)).toEqual([...CALLS.slice(0, place), ...paid, ...CALLS.slice(place)])
      if (task !== 'plan') {
        const again = scene.asks[place + paid.length]!
        expect(again.isAnswered).toBe(false)
        expect(again.prompt).toContain(HALF_EDITED)
      }

      const steps = scene.of('settled').map(e => [e.task, e.stage, e.move])
      expect(steps[settled]![2]).toBe(null)
      expect(steps.filter(([, , move]) => move !== null)).toEqual(STEPS)
      expect(scene.of('finished')).toMatchObject([{ result: 'complete', proof: 'verified' }])
      expect(scene.list().every(({ status }) => status === 'completed')).toBe(true)
      expect(scene.progress().match(/^## (?:Plan|Iteration|Resumed|End)/gm)).toHaveLength(8)
      expect(leftovers(scene.ralphHome)).toEqual([])
    },
  )
})
