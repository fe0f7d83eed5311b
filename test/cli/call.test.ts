import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { custom } from '../../src/agents/custom.ts'
import { caller } from '../../src/cli/call.ts'
import type { Work } from '../../src/core/ports.ts'
import { processRunner } from '../../src/runners/process.ts'
import { scratch } from '../support/scratch.ts'

it('an agent whose files cannot be made is stopped before it has worked', async () => {
  const dir = scratch()
  writeFileSync(join(dir, 'occupied'), '')
  const runner = processRunner({ run: 'call-test', graceMs: 100 })
  onTestFinished(() => runner.close())
  const agent = custom(['sh', '-c', 'echo hello; sleep 0.5; echo worked > worked'])
  const call = caller({
    runner,
    desk: {
      folderFor: () => join(dir, 'occupied'),
      keep: (_, act) => act(),
      shown: path => path,
      call: () => {},
    },
    agentOf: () => ({ agent, able: {} as never, env: { PATH: process.env.PATH ?? '' }, ask: {} as never }),
    budgetLeft: () => null,
    cwd: dir,
    now: Date.now,
    warn: () => {},
    marks: () => ({}),
  })
  const work = { step: { id: 1, n: 1, agent: 'sh' } } as Work
  await expect(call(work, 'x', { event: () => {}, stir: () => {} })).rejects.toThrow(/occupied\/prompt.txt/)
  await delay(800)
  expect(existsSync(join(dir, 'worked'))).toBe(false)
})
