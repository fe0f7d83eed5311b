import { expect, test } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { CannotGoOn, type Check } from '../../src/core/ports.ts'
import { runChecks } from '../../src/engine/check.ts'

const passed = (check: string) => ({
  finding: { check, verdict: 'pass' as const, note: '' },
  exit: { code: 0, signal: null },
})

test('a check that cannot be run ends those beside it, and nothing is said of them', async () => {
  const events: Omit<RunEvent, 'at'>[] = []
  const ended: string[] = []
  const long: Check = {
    name: 'long',
    run: (_, signal) =>
      new Promise(resolve => {
        signal.addEventListener('abort', () => {
          ended.push('long')
          resolve({ ...passed('long'), finding: { check: 'long', verdict: 'fail', note: 'was killed' } })
        })
      }),
  }
  const broken: Check = {
    name: 'broken',
    run: async () => {
      throw new CannotGoOn('no room')
    },
  }
  const never: Check = {
    name: 'never',
    run: async () => {
      ended.push('never')
      return passed('never')
    },
  }
  const ports = {
    emit: (event: RunEvent) => void events.push(event),
    clock: { now: () => 0, elapsed: () => 0, after: () => () => {} },
    checksAtOnce: 2,
  }
  const none = new AbortController().signal
  const running = runChecks(
    ports,
    [long, broken, never],
    null,
    { beforeRun: [], onTree: [] },
    {
      soft: none,
      hard: none,
    },
  )
  await expect(running).rejects.toThrow('no room')
  expect(ended).toEqual(['long'])
  expect(events.map(({ type }) => type)).toEqual(['checking', 'checking'])
})
