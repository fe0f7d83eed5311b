/** The closing line of a test runner, and how many tests it says have run. Skipped ones did not run. */
type Closing = { runners: string; line: RegExp; ran(numbers: Numbers): number }

/** The number before or after a word of the line, summed over these words; 0 if none is there. */
type Numbers = (...words: string[]) => number

const CLOSINGS: readonly Closing[] = [
  {
    runners: 'vitest, jest, pest',
    line: /^\s*Tests:?\s+\d+ (?:passed|failed|skipped|todo|total|expected fail)\b/,
    ran: n => n('passed', 'failed', 'expected fail'),
  },
  {
    runners: 'mocha, cypress',
    line: /^\s*\d+ (?:passing|failing)(?: \(|$)/,
    ran: n => n('passing', 'failing'),
  },
  { runners: 'node, tape', line: /^(?:ℹ|#) (?:pass|fail) +\d+$/, ran: n => n('pass', 'fail') },
  {
    runners: 'playwright, ava',
    line: /^\s+\d+ (?:tests? )?(?:passed|failed|flaky)(?: \([\d.]+m?s?\))?$/,
    ran: n => n('passed', 'failed', 'flaky', 'test passed', 'test failed', 'tests passed', 'tests failed'),
  },
  {
    runners: 'pytest',
    line: /^(?:=+ )?\d+ (?:passed|failed|skipped|xfailed|xpassed|deselected|errors?)\b.* in [\d.]+s\b/,
    ran: n => n('passed', 'failed', 'xpassed', 'error', 'errors'),
  },
  { runners: 'unittest', line: /^Ran \d+ tests? in /, ran: n => n('test', 'tests') },
  {
    runners: 'unittest: tests that did not run',
    line: /^(?:OK|FAILED) \(.*(?:skipped|expected failures)=\d+/,
    ran: n => -n('skipped', 'expected failures'),
  },
  { runners: 'go test -v', line: /^\s*--- (?:PASS|FAIL): /, ran: () => 1 },
  {
    runners: 'gotestsum',
    line: /^DONE (?:\d+ runs, )?\d+ tests?\b/,
    ran: n => n('test', 'tests') - n('skipped'),
  },
  { runners: 'cargo test', line: /^test result: .*\d+ passed/, ran: n => n('passed', 'failed') },
  { runners: 'nextest', line: /^\s*Summary \[.*\d+ tests? run:/, ran: n => n('test run', 'tests run') },
  {
    runners: 'rspec, jasmine',
    line: /^\d+ (?:examples?|specs?), \d+ failures?/,
    ran: n => n('example', 'examples', 'spec', 'specs') - n('pending'),
  },
  {
    runners: 'minitest',
    line: /^\d+ (?:runs|tests), \d+ assertions, /,
    ran: n => n('runs', 'tests') - n('skips', 'pendings', 'omissions'),
  },
  { runners: 'phpunit', line: /^OK \(\d+ tests?, /, ran: n => n('test', 'tests') },
  {
    runners: 'phpunit',
    line: /^Tests: \d+, Assertions: /,
    ran: n => n('Tests') - n('Skipped', 'Incomplete'),
  },
  {
    runners: 'maven',
    line: /^(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+\s*$/,
    ran: n => n('Tests run') - n('Skipped'),
  },
  {
    runners: 'junit console',
    line: /^\[ +\d+ tests (?:successful|failed) +\]$/,
    ran: n => n('tests successful', 'tests failed'),
  },
  {
    runners: 'gradle',
    line: /^\d+ tests? completed/,
    ran: n => n('test completed', 'tests completed') - n('skipped'),
  },
  {
    runners: 'gradle',
    line: /Executed \d+ tests? in .*(?:s|secs)\b/,
    ran: n => n('test', 'tests') - n('skipped'),
  },
  {
    runners: 'dotnet test',
    line: /^\s*(?:Passed|Failed|Skipped)! +- Failed: +\d+, Passed: +\d+/,
    ran: n => n('Failed', 'Passed'),
  },
  {
    runners: 'dotnet test',
    line: /^Test summary: total: \d+, failed: \d+/,
    ran: n => n('failed', 'succeeded'),
  },
  {
    runners: 'mix test, bats',
    line: /^(?:\d+ \w+, )*\d+ tests?, \d+ failures?\b/,
    ran: n => n('doctest', 'doctests', 'test', 'tests', 'property', 'properties') - n('skipped', 'excluded'),
  },
  { runners: 'ctest', line: /^\d+% tests passed, \d+ tests failed out of \d+/, ran: n => n('out of') },
  { runners: 'googletest', line: /^\[=+\] \d+ tests? from .* ran\./, ran: n => n('tests?(?= from)') },
  { runners: 'googletest', line: /^\[ +SKIPPED +\] \d+ tests?\b/, ran: n => -n('test', 'tests') },
  {
    runners: 'catch2',
    line: /^All tests passed \(.* in \d+ test cases?\)/,
    ran: n => n('test case', 'test cases'),
  },
  {
    runners: 'catch2, doctest',
    line: /^(?:\[doctest\] )?test cases: +\d+ \| +\d+ passed/,
    ran: n => n('passed', 'failed'),
  },
  { runners: 'deno test', line: /^(?:ok|FAILED) \| \d+ passed\b/, ran: n => n('passed', 'failed') },
  { runners: 'bun test', line: /^\s*\d+ (?:pass|fail)$/, ran: n => n('pass', 'fail') },
  { runners: 'prove', line: /^Files=\d+, Tests=\d+,/, ran: n => n('Tests') },
]

/** Only a part was run again, or several runs are in one output: then a count says nothing. */
const PARTIAL =
  /cache hit|FULL TURBO|replaying logs|\[local cache\]|existing outputs match the cache|from the cache|:test (?:UP-TO-DATE|FROM-CACHE)|related to (?:changed )?files|run-last-failure|\bRERUN\b|Watch Usage|Waiting for file changes|press .{1,20} to (?:rerun|quit|show help|exit)/i

/** How many tests a runner says it ran: 0 if it says nothing, null if the number cannot be compared with another run. */
export function countTests(output: string): number | null {
  const text = output.replace(ANSI, '')
  if (PARTIAL.test(text)) return null
  let ran = 0
  for (const line of text.split(/\r?\n/)) {
    if (line.length > LONGEST_LINE || !/\d/.test(line)) continue
    const closing = CLOSINGS.find(({ line: pattern }) => pattern.test(line))
    if (closing) ran += closing.ran((...words) => sum(line, words))
  }
  return Math.max(ran, 0)
}

const ANSI = /\x1b\[[\d;]*[A-Za-z]/g

/** Closing lines are short. */
const LONGEST_LINE = 300

/** Finds `12 passed`, `Passed: 12`, `skipped=2` and `out of 12`. */
function sum(line: string, words: readonly string[]): number {
  let total = 0
  for (const word of words) {
    const before = new RegExp(`(\\d+) ${word}\\b`).exec(line)
    const after = new RegExp(`\\b${word}(?:[:=] *| +)(\\d+)`).exec(line)
    total += Number((before ?? after)?.[1] ?? 0)
  }
  return total
}
