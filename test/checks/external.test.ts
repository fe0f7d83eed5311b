import { describe, expect, it } from 'vitest'
import { externalFailure } from '../../src/checks/rules/external.ts'
import type { CommandRun } from '../../src/core/verification/finding.ts'
import type { ExternalConfig } from '../../src/core/verification/method.ts'

const CONFIG: ExternalConfig = {
  command: 'pytest',
  success_exit_code: 0,
  timeout: 300,
  working_dir: '.',
}

const exited = (code: number) => ({ code, signal: null })

const RUN: CommandRun = {
  command: 'pytest',
  exit: exited(0),
  failure: null,
  cutOff: false,
  ms: 10,
  output: '5 passed, 0 failed',
  head: '',
  log: 'x.log',
}

describe('a command verifies', () => {
  it.each<[string, Partial<ExternalConfig>, Partial<CommandRun>, string | null]>([
    ['with exit code 0', {}, {}, null],
    [
      'with the exit code that is expected',
      { success_exit_code: 3 },
      { exit: exited(3), failure: 'failed with exit code 3' },
      null,
    ],
    ['not with another exit code', {}, { exit: exited(2) }, 'Command exited with 2, expected 0'],
    ['not where 0 is not expected', { success_exit_code: 1 }, {}, 'Command exited with 0, expected 1'],
    [
      'not if it is not found',
      {},
      { exit: exited(127) },
      'Command exited with 127 (command not found), expected 0',
    ],
    ['in just the time that it has', {}, { ms: 300_000 }, null],
    ['not a moment later', {}, { ms: 300_001 }, 'Command timed out after 300s'],
    ['not if it was ended', {}, { cutOff: true }, 'Command failed: it was ended'],
    [
      'not if it has no exit code',
      {},
      { exit: { code: null, signal: 'SIGKILL' }, failure: 'was killed' },
      'Command failed: it was killed',
    ],
    [
      'if the output has what it must, and not what it must not',
      { output_contains: 'passed', output_not_contains: 'Traceback' },
      {},
      null,
    ],
    ['if the output contains what it must', { output_contains: 'passed' }, {}, null],
    ['not if the output lacks it', { output_contains: '6 passed' }, {}, "Output doesn't contain: 6 passed"],
    [
      'not if the output contains what it must not',
      { output_not_contains: 'failed' },
      {},
      'Output contains forbidden: failed',
    ],
    [
      'by its exit code first',
      { output_contains: 'nothing', output_not_contains: 'passed' },
      { exit: exited(1) },
      'Command exited with 1, expected 0',
    ],
    [
      'then by what it must contain',
      { output_contains: 'nothing', output_not_contains: 'passed' },
      {},
      "Output doesn't contain: nothing",
    ],
    [
      'not after its time',
      { timeout: 2 },
      { ms: 2001, cutOff: true, exit: { code: null, signal: 'SIGTERM' }, failure: 'timed out after 2s' },
      'Command timed out after 2s',
    ],
    [
      'not if it could not be run',
      {},
      { cutOff: true, exit: { code: null, signal: null }, failure: 'could not be run: ENOENT' },
      'Command failed: it could not be run: ENOENT',
    ],
    [
      'not if its output is too long to search',
      { output_contains: 'x' },
      { output: null },
      'Output is too long to be searched',
    ],
  ])('%s', (_, wanted, run, failure) => {
    expect(externalFailure({ ...CONFIG, ...wanted }, { ...RUN, ...run })).toBe(failure)
  })
})
