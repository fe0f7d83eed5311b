import { describe, expect, it } from 'vitest'
import { countTests } from '../../src/checks/rules/count-tests.ts'

describe('the number of tests that ran, from the closing lines of', () => {
  it.each<[string, string, number]>([
    [
      'vitest',
      ' Test Files  2 passed | 1 skipped (3)\n      Tests  1 failed | 11 passed | 2 skipped | 1 todo (15)\n',
      12,
    ],
    [
      'vitest in colour',
      '\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[32m257 passed\x1b[39m\x1b[22m\x1b[90m (257)\x1b[39m\n',
      257,
    ],
    ['vitest without any', 'No test files found, exiting with code 1\n', 0],
    [
      'jest',
      'Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 2 skipped, 3 todo, 9 passed, 15 total\n',
      10,
    ],
    ['mocha', '  12 passing (20ms)\n  1 pending\n  2 failing\n', 14],
    ['node:test', 'ℹ tests 14\nℹ suites 2\nℹ pass 11\nℹ fail 1\nℹ cancelled 0\nℹ skipped 2\nℹ todo 0\n', 12],
    ['node:test as TAP', '# tests 5\n# suites 0\n# pass 4\n# fail 1\n# skipped 0\n', 5],
    ['playwright', '  1 flaky\n  2 skipped\n  9 passed (3.2s)\n', 10],
    ['ava', '  12 tests passed\n  1 test skipped\n', 12],
    [
      'pytest',
      '===== 1 failed, 11 passed, 2 skipped, 3 deselected, 1 xfailed, 4 warnings in 3.20s =====\n',
      12,
    ],
    ['pytest -q', '12 passed in 0.12s\n', 12],
    ['pytest without any', '==== no tests ran in 0.01s ====\n', 0],
    ['unittest', 'Ran 12 tests in 0.003s\n\nOK (skipped=2)\n', 10],
    [
      'go test -v',
      '=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/one (0.00s)\n--- SKIP: TestB (0.00s)\nPASS\nok  \tx\t0.1s\n',
      2,
    ],
    ['gotestsum', 'DONE 12 tests, 2 skipped, 1 failure in 0.5s\n', 10],
    [
      'cargo test',
      'test result: ok. 7 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\ntest result: ok. 3 passed; 1 failed; 0 ignored\n',
      11,
    ],
    ['nextest', '     Summary [   0.2s] 12 tests run: 12 passed, 3 skipped\n', 12],
    ['rspec', '12 examples, 1 failure, 2 pending\n', 10],
    ['minitest', '12 runs, 20 assertions, 0 failures, 0 errors, 2 skips\n', 10],
    ['phpunit', 'OK (12 tests, 30 assertions)\n', 12],
    ['phpunit with skipped ones', 'Tests: 12, Assertions: 30, Failures: 1, Skipped: 2, Incomplete: 1.\n', 9],
    ['pest', '  Tests:    1 failed, 2 skipped, 12 passed (30 assertions)\n', 13],
    [
      'maven',
      '[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in a.B\n[INFO] Results:\n[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 2\n',
      10,
    ],
    ['the junit console', '[        12 tests successful      ]\n[         1 tests failed          ]\n', 13],
    ['gradle', '12 tests completed, 1 failed, 2 skipped\n', 10],
    [
      'dotnet test',
      'Passed!  - Failed:     0, Passed:    12, Skipped:     1, Total:    13, Duration: 5 ms - a.dll (net8.0)\n',
      12,
    ],
    [
      'dotnet test, newer',
      'Test summary: total: 13, failed: 1, succeeded: 11, skipped: 1, duration: 1.2s\n',
      12,
    ],
    ['mix test', '3 doctests, 12 tests, 0 failures, 1 excluded, 1 skipped\n', 13],
    ['bats', '12 tests, 0 failures, 2 skipped\n', 10],
    ['ctest', '100% tests passed, 0 tests failed out of 12\n', 12],
    [
      'googletest',
      '[==========] 12 tests from 3 test suites ran. (5 ms total)\n[  PASSED  ] 11 tests.\n[  SKIPPED ] 1 test, listed below:\n',
      11,
    ],
    ['catch2', 'All tests passed (30 assertions in 12 test cases)\n', 12],
    ['deno test', 'ok | 12 passed (3 steps) | 0 failed | 1 ignored (20ms)\n', 12],
    [
      'bun test',
      ' 12 pass\n 1 skip\n 1 fail\n 30 expect() calls\nRan 14 tests across 3 files. [20.00ms]\n',
      13,
    ],
    ['prove', 'Files=3, Tests=12,  0 wallclock secs\n', 12],
    ['several packages', '      Tests  4 passed (4)\n\n      Tests  6 passed (6)\n', 10],
  ])('%s', (_, output, count) => {
    expect(countTests(output)).toBe(count)
  })

  it.each<[string, string]>([
    ['nothing', ''],
    ['a runner without a count', 'ok  \tgithub.com/a/b\t0.1s\n'],
    ['words that only sound like one', 'We ran the tests: 12 were fine, 3 passed by.\nTests are good\n'],
    ['a linter', '✖ 12 problems (3 errors, 9 warnings)\n'],
  ])('%s: none', (_, output) => {
    expect(countTests(output)).toBe(0)
  })

  it.each<[string, string]>([
    [
      'a watcher',
      '      Tests  4 passed (4)\n PASS  Waiting for file changes...\n press h to show help, press q to quit\n',
    ],
    ['a watcher that ran twice', '      Tests  4 passed (4)\n RERUN  a.js x1\n      Tests  1 passed (1)\n'],
    ['a cache', 'web:test: cache hit, replaying logs 1234\nweb:test:       Tests  4 passed (4)\n'],
    [
      'a run of what changed',
      'Tests:       1 passed, 1 total\nRan all test suites related to changed files.\n',
    ],
  ])('%s cannot be compared', (_, output) => {
    expect(countTests(output)).toBe(null)
  })

  it('a long line takes no time', () => {
    expect(countTests(`${'1 passed | '.repeat(200_000)}\n      Tests  4 passed (4)\n`)).toBe(4)
  })
})
