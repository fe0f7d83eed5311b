import { describe, expect, it } from 'vitest'
import { failureMessage, slugOf, slugsOf, truncate } from '../../src/checks/message.ts'

describe('truncating', () => {
  it.each([
    ['12345', 5, '12345'],
    ['123456', 5, '12345... [truncated]'],
    ['', 0, ''],
    ['x', 0, '... [truncated]'],
    ['1234😀', 5, '1234... [truncated]'],
  ])('%j at %i gives %j', (text, limit, expected) => {
    expect(truncate(text, limit)).toBe(expected)
  })
})

describe('a slug', () => {
  it.each([
    ['./mvnw clean install -T 2C', 'mvnw_clean_install_T_2C'],
    ['npm test', 'npm_test'],
    ['make lint && make test', 'make_lint_make_test'],
    ['***', 'check'],
    ['x'.repeat(80), 'x'.repeat(50)],
    [`${'x'.repeat(49)} y`, 'x'.repeat(49)],
  ])('of %j is %j', (command, slug) => {
    expect(slugOf(command)).toBe(slug)
  })

  it('that stands for several commands is numbered', () => {
    expect(slugsOf(['npm test', 'npm-test', 'npm  test', 'other'])).toEqual([
      'npm_test',
      'npm_test_2',
      'npm_test_3',
      'other',
    ])
  })
})

describe('a failed guardrail', () => {
  it('reaches the agent with its hint, log and output', () => {
    const red = { command: 'make lint', failure: 'failed with exit code 2', logFile: 'a.log', output: 'bad' }
    expect(failureMessage({ ...red, hint: 'Fix lint errors only.' })).toBe(
      'Guardrail "make lint" failed with exit code 2.\nHint: Fix lint errors only.\nOutput file: a.log\nOutput (truncated):\nbad',
    )
    expect(failureMessage(red)).not.toContain('Hint')
  })
})
