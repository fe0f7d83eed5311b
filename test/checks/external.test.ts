import { describe, expect, it } from 'vitest'
import { externalFailure } from '../../src/checks/rules/external.ts'
import type { CommandRun } from '../../src/core/verification/finding.ts'
import type { ExternalConfig } from '../../src/core/verification/method.ts'

const config = (more: Partial<ExternalConfig> = {}): ExternalConfig => ({
  command: 'pytest',
  success_exit_code: 0,
  timeout: 300,
  working_dir: '.',
  ...more,
})

const ran = (more: Partial<CommandRun> = {}): CommandRun => ({
  command: 'pytest',
  exit: { code: 0, signal: null },
  failure: null,
  cutOff: false,
  ms: 10,
  output: '5 passed, 0 failed',
  head: '',
  log: 'x.log',
  ...more,
})

describe('a command verifies', () => {
  it.each<[string, ExternalConfig, CommandRun, string | null]>([
    ['with exit code 0', config(), ran(), null],
    [
      'with the exit code that is expected',
      config({ success_exit_code: 3 }),
      ran({ exit: { code: 3, signal: null }, failure: 'failed with exit code 3' }),
      null,
    ],
    [
      'not with another exit code',
      config(),
      ran({ exit: { code: 2, signal: null } }),
      'Command exited with 2, expected 0',
    ],
    [
      'not where 0 is not expected',
      config({ success_exit_code: 1 }),
      ran(),
      'Command exited with 0, expected 1',
    ],
    [
      'not if it is not found',
      config(),
      ran({ exit: { code: 127, signal: null } }),
      'Command exited with 127 (command not found), expected 0',
    ],
    ['in just the time that it has', config(), ran({ ms: 300_000 }), null],
    ['not a moment later', config(), ran({ ms: 300_001 }), 'Command timed out after 300s'],
    ['not if it was ended', config(), ran({ cutOff: true }), 'Command failed: it was ended'],
    [
      'not if it has no exit code',
      config(),
      ran({ exit: { code: null, signal: 'SIGKILL' }, failure: 'was killed' }),
      'Command failed: it was killed',
    ],
    [
      'if the output has what it must, and not what it must not',
      config({ output_contains: 'passed', output_not_contains: 'Traceback' }),
      ran(),
      null,
    ],
    ['if the output contains what it must', config({ output_contains: 'passed' }), ran(), null],
    [
      'not if the output lacks it',
      config({ output_contains: '6 passed' }),
      ran(),
      "Output doesn't contain: 6 passed",
    ],
    [
      'not if the output contains what it must not',
      config({ output_not_contains: 'failed' }),
      ran(),
      'Output contains forbidden: failed',
    ],
    [
      'by its exit code first',
      config({ output_contains: 'nothing', output_not_contains: 'passed' }),
      ran({ exit: { code: 1, signal: null } }),
      'Command exited with 1, expected 0',
    ],
    [
      'then by what it must contain',
      config({ output_contains: 'nothing', output_not_contains: 'passed' }),
      ran(),
      "Output doesn't contain: nothing",
    ],
    [
      'not after its time',
      config({ timeout: 2 }),
      ran({ ms: 2001, cutOff: true, exit: { code: null, signal: 'SIGTERM' }, failure: 'timed out after 2s' }),
      'Command timed out after 2s',
    ],
    [
      'not if it could not be run',
      config(),
      ran({ cutOff: true, exit: { code: null, signal: null }, failure: 'could not be run: ENOENT' }),
      'Command failed: it could not be run: ENOENT',
    ],
    [
      'not if its output is too long to search',
      config({ output_contains: 'x' }),
      ran({ output: null }),
      'Output is too long to be searched',
    ],
  ])('%s', (_, wanted, run, failure) => {
    expect(externalFailure(wanted, run)).toBe(failure)
  })
})
