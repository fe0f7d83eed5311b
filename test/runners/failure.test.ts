import { describe, expect, it } from 'vitest'
import { failureOf } from '../../src/runners/logged.ts'

describe('a failure', () => {
  const none = { stopped: null, error: null }
  it.each([
    [{ exit: { code: 0, signal: null }, ...none }, null],
    [{ exit: { code: 1, signal: null }, ...none }, 'failed with exit code 1'],
    [{ exit: { code: 127, signal: null }, ...none }, 'failed with exit code 127 (command not found)'],
    [{ exit: { code: null, signal: 'SIGKILL' }, ...none }, 'was killed by SIGKILL'],
    [
      { exit: { code: null, signal: 'SIGTERM' }, stopped: 'timed out after 900s', error: null },
      'timed out after 900s',
    ],
    [{ exit: { code: null, signal: null }, stopped: null, error: 'no shell' }, 'could not be run: no shell'],
  ])('%j is described as %j', (ran, words) => {
    expect(failureOf(ran)).toBe(words)
  })
})
