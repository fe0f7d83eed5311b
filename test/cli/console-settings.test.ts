import { expect, it } from 'vitest'
import { setStage } from './scene.ts'

const calls: [string, ...unknown[]][][] = [
  [
    ['tool', 't1', 'Bash', { command: 'make' }],
    ['toolResult', 't1', 'one\ntwo\nthree'],
    ['claude', 'Done. <response>DONE</response>'],
  ],
]

it('shape what a run shows', async () => {
  const output = { emoji: false, color: 'always', timestamps: true, maxLines: 1 }
  const ran = await setStage({ settings: { output }, calls }).ralph('run', '-p', 'x')
  expect(ran.code).toBe(0)
  const lines = ran.stdout.replace(/\x1b\[\d+m/g, '').split('\n')
  const at = (words: string) => lines.findIndex(line => line.includes(words))
  expect(lines.filter(Boolean).filter(line => !/^\[\d\d:\d\d:\d\d\] /.test(line))).toEqual([])
  const stamped = lines.slice(at('iteration 1'), at('done as claimed') + 1)
  const text = stamped.map(line => line.replace(/^\[.{8}\] /, '')).join('\n')
  expect(text).toContain('  * Bash(make)\n  [OK] Result ← Bash (3 lines, 13 chars) | one\n')
  expect(ran.stdout).toContain('\x1b[1m')
})
