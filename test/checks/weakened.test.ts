import { describe, expect, it } from 'vitest'
import { changedUnread, fewerTests, isWatched, weakenedBy } from '../../src/checks/rules/weakened.ts'
import type { Finding } from '../../src/core/events.ts'

type Texts = Record<string, string>
type Weakening = [name: string, before: Texts, after: Texts, said: RegExp, commands?: string[]]

/** A project before and after; what is in neither is gone, and what is in both alike did not change. */
function weakened(before: Texts, after: Texts, commands = ['npm test'], folder = ''): string[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const files = paths
    .filter(path => before[path] !== after[path] && isWatched(path, { commands }))
    .map(path => ({ path, before: before[path] ?? null, after: after[path] ?? null }))
  return weakenedBy(files, { commands, folder }, path => after[path] ?? null)
}

const CART = `import { it } from 'vitest'
import { total } from '../src/cart.js'

describe('the cart', () => {
  it('adds prices', () => {
    expect(total([1, 2])).toBe(3)
  })
  it('knows a discount', () => {
    expect(total([10], 'TEN')).toBe(9)
  })
})
`
const TAX = `test('taxes are added', () => {
  expect(tax(100)).toBe(119)
})
test('taxes may be zero', () => {
  expect(tax(0)).toBe(0)
})
`
const PY = `def test_adds():
    assert add(1, 2) == 3


def test_subtracts():
    assert subtract(3, 2) == 1
`
const GO = `func TestAdd(t *testing.T) {
	if add(1, 2) != 3 {
		t.Fatal("no")
	}
}
`
const RUST = `fn add() {}
#[cfg(test)]
mod tests {
    #[test]
    fn adds() { assert_eq!(add(1, 2), 3); }
}
`
const JAVA = `class CartTest {
  @Test
  void adds() { assertEquals(3, add(1, 2)); }
}
`
const CSHARP = `public class CartTests {
  [Fact]
  public void Adds() { Assert.Equal(3, Add(1, 2)); }
}
`
const RUBY = `describe Cart do
  it 'adds prices' do
    expect(total).to eq 3
  end
end
`
const scripts = (scripts: Texts, more: object = {}) => JSON.stringify({ name: 'x', scripts, ...more })
const MAKE = 'FLAGS = -v\n\nall: build\n\ntest: unit\n\tgo vet ./...\n\nunit:\n\tgo test $(FLAGS) ./...\n'

const INCLUDES = { Makefile: 'include mk/all.mk\n', 'mk/all.mk': '-include mk/test.mk mk/all.mk\n' }

describe('tests are weakened by', () => {
  it.each<Weakening>([
    ['a deleted test file', { 'test/cart.test.js': CART }, {}, /^test\/cart\.test\.js was deleted/],
    [
      'one of two deleted files',
      { 'a.test.js': CART, 'b.test.js': TAX },
      { 'a.test.js': CART },
      /^b\.test\.js was deleted/,
    ],
    [
      'a test file replaced by another',
      { 'a.test.js': CART },
      { 'b.test.js': TAX },
      /^a\.test\.js was deleted/,
    ],
    ['a test file that became a note', { 'a.test.js': CART }, { 'a.txt': CART }, /^a\.test\.js was deleted/],
    [
      'a test file that became a fixture',
      { 'test/a.test.js': CART },
      { 'test/fixtures/a.test.js': CART },
      /was deleted/,
    ],
    [
      'an emptied test file',
      { 'a.test.js': CART },
      { 'a.test.js': '' },
      /^a\.test\.js has lost all its tests/,
    ],
    [
      'a test file all in comments',
      { 'a.test.js': CART },
      { 'a.test.js': CART.replace(/^/gm, '// ') },
      /lost all its tests/,
    ],
    ['a deleted python test', { 'tests/test_add.py': PY }, {}, /^tests\/test_add\.py was deleted/],
    ['a deleted go test', { 'add_test.go': GO }, {}, /^add_test\.go was deleted/],
    [
      'tests deleted from a rust file',
      { 'src/lib.rs': RUST },
      { 'src/lib.rs': 'fn add() {}\n' },
      /^src\/lib\.rs has lost/,
    ],
    [
      'a deleted script that asserts',
      { 'test.js': 'assert.equal(add(1, 2), 3)\n' },
      {},
      /^test\.js was deleted/,
    ],
    [
      'it.skip',
      { 'a.test.js': CART },
      { 'a.test.js': CART.replace("it('adds", "it.skip('adds") },
      /^a\.test\.js has 1 new skip \(line 5: it\.skip\('adds prices'/,
    ],
    [
      'two of them',
      { 'a.test.js': CART },
      { 'a.test.js': CART.replaceAll('it(', 'it.skip(') },
      /2 new skips/,
    ],
    [
      'describe.skip',
      { 'a.test.ts': CART },
      { 'a.test.ts': CART.replace('describe(', 'describe.skip(') },
      /1 new skip/,
    ],
    [
      'it.only',
      { 'a.test.js': CART },
      { 'a.test.js': CART.replace("it('adds", "it.only('adds") },
      /lets only some of its tests run/,
    ],
    ['xit', { 'a.spec.ts': CART }, { 'a.spec.ts': CART.replace("it('adds", "xit('adds") }, /1 new skip/],
    [
      'fdescribe',
      { 'a.spec.ts': CART },
      { 'a.spec.ts': CART.replace('describe(', 'fdescribe(') },
      /lets only some/,
    ],
    [
      'it.fails',
      { 'a.test.js': CART },
      { 'a.test.js': CART.replace("it('adds", "it.fails('adds") },
      /1 new skip/,
    ],
    [
      'test.concurrent.skip',
      { 'a.test.js': TAX },
      { 'a.test.js': TAX.replace("test('taxes are", "test.concurrent.skip('taxes are") },
      /1 new skip/,
    ],
    [
      'skip: true of node:test',
      { 'a.test.js': TAX },
      { 'a.test.js': TAX.replace("added', ()", "added', { skip: true }, ()") },
      /1 new skip/,
    ],
    [
      'skip: 1 in an object of several lines',
      { 'a.test.js': TAX },
      { 'a.test.js': TAX.replace("added', ()", "added', {\n  timeout: 5,\n  skip: 1,\n}, ()") },
      /1 new skip/,
    ],
    [
      'skip of a test’s own context',
      { 'a.test.js': TAX },
      { 'a.test.js': TAX.replace("added', () => {", "added', ({ skip }) => { skip()") },
      /1 new skip/,
    ],
    [
      'skip under another name',
      { 'a.test.js': CART },
      {
        'a.test.js': CART.replace("it('adds", "skip('adds").replace(
          'describe(',
          'const { skip } = it\ndescribe(',
        ),
      },
      /1 new skip/,
    ],
    [
      "it['skip']",
      { 'a.test.js': CART },
      { 'a.test.js': CART.replace("it('adds", "it['skip']('adds") },
      /1 new skip/,
    ],
    [
      'a table without rows',
      { 'a.test.js': CART },
      { 'a.test.js': CART.replace("it('adds", "it.each([])('adds") },
      /1 new skip/,
    ],
    [
      'a condition before a test',
      { 'a.test.js': CART },
      { 'a.test.js': CART.replace("it('adds", "if (process.env.ALL_TESTS) it('adds") },
      /1 new skip/,
    ],
    [
      'this.skip()',
      { 'a.test.js': CART },
      {
        'a.test.js': CART.replace(
          '() => {\n    expect(total([1',
          '() => {\n    this.skip()\n    expect(total([1',
        ),
      },
      /1 new skip/,
    ],
    [
      'skipIf on a test that ran',
      { 'a.test.js': CART },
      { 'a.test.js': CART.replace("it('adds", "it.skipIf(true)('adds") },
      /1 new skip/,
    ],
    [
      'a skip that moved to another test',
      { 'a.test.js': CART.replace("it('adds", "it.skip('adds") },
      { 'a.test.js': CART.replace("it('knows", "it.skip('knows") },
      /1 new skip/,
    ],
    [
      'a new test that is skipped',
      { 'a.test.js': CART },
      { 'a.test.js': `${CART}it.skip('later', () => {})\n` },
      /1 new skip/,
    ],
    [
      'pytest.mark.skip',
      { 'tests/test_add.py': PY },
      { 'tests/test_add.py': PY.replace('def test_adds', '@pytest.mark.skip\ndef test_adds') },
      /1 new skip/,
    ],
    [
      'pytest.mark.xfail',
      { 'tests/test_add.py': PY },
      { 'tests/test_add.py': PY.replace('def test_adds', '@pytest.mark.xfail(reason="x")\ndef test_adds') },
      /1 new skip/,
    ],
    [
      'pytest.mark.skipif on a test that ran',
      { 'tests/test_add.py': PY },
      {
        'tests/test_add.py': PY.replace(
          'def test_adds',
          '@pytest.mark.skipif(True, reason="x")\ndef test_adds',
        ),
      },
      /1 new skip/,
    ],
    [
      'pytest.skip()',
      { 'tests/test_add.py': PY },
      { 'tests/test_add.py': PY.replace('    assert add', '    pytest.skip("no")\n    assert add') },
      /1 new skip/,
    ],
    [
      'unittest.skip',
      { 'tests/test_add.py': PY },
      { 'tests/test_add.py': PY.replace('def test_adds', '@unittest.skip("x")\ndef test_adds') },
      /1 new skip/,
    ],
    [
      't.Skip',
      { 'add_test.go': GO },
      { 'add_test.go': GO.replace('\tif', '\tt.Skip("flaky")\n\tif') },
      /^add_test\.go has 1 new skip/,
    ],
    [
      '#[ignore]',
      { 'src/lib.rs': RUST },
      { 'src/lib.rs': RUST.replace('#[test]', '#[test]\n    #[ignore]') },
      /1 new skip/,
    ],
    [
      '@Disabled',
      { 'src/test/java/CartTest.java': JAVA },
      { 'src/test/java/CartTest.java': JAVA.replace('@Test', '@Disabled\n  @Test') },
      /1 new skip/,
    ],
    [
      '@Ignore with a reason',
      { 'CartTest.kt': JAVA },
      { 'CartTest.kt': JAVA.replace('@Test', '@Ignore("later") @Test') },
      /1 new skip/,
    ],
    [
      'Skip of xunit',
      { 'CartTests.cs': CSHARP },
      { 'CartTests.cs': CSHARP.replace('[Fact]', '[Fact(Skip = "x")]') },
      /1 new skip/,
    ],
    [
      '[Ignore] of nunit',
      { 'CartTests.cs': CSHARP },
      { 'CartTests.cs': CSHARP.replace('[Fact]', '[Fact]\n  [Ignore("x")]') },
      /1 new skip/,
    ],
    [
      'xit of rspec',
      { 'spec/cart_spec.rb': RUBY },
      { 'spec/cart_spec.rb': RUBY.replace("it '", "xit '") },
      /1 new skip/,
    ],
    [
      'skip of rspec',
      { 'spec/cart_spec.rb': RUBY },
      { 'spec/cart_spec.rb': RUBY.replace('    expect', "    skip 'no'\n    expect") },
      /1 new skip/,
    ],
    [
      'focus of rspec',
      { 'spec/cart_spec.rb': RUBY },
      { 'spec/cart_spec.rb': RUBY.replace("prices' do", "prices', :focus do") },
      /lets only some/,
    ],
    [
      'another script behind the check',
      { 'package.json': scripts({ test: 'vitest run' }) },
      { 'package.json': scripts({ test: 'true' }) },
      /^the script "test" of package\.json, which a check runs, was changed from "vitest run" to "true"$/,
    ],
    [
      'a script that ignores failures',
      { 'package.json': scripts({ test: 'vitest run' }) },
      { 'package.json': scripts({ test: 'vitest run || true' }) },
      /was changed/,
    ],
    [
      'a script that exits first',
      { 'package.json': scripts({ test: 'vitest run' }) },
      { 'package.json': scripts({ test: 'exit 0; vitest run' }) },
      /was changed/,
    ],
    [
      'a script that filters',
      { 'package.json': scripts({ test: 'vitest run' }) },
      { 'package.json': scripts({ test: 'vitest run -t cart' }) },
      /was changed/,
    ],
    [
      'a script that is gone',
      { 'package.json': scripts({ test: 'vitest run' }) },
      { 'package.json': scripts({}) },
      /"test" of package\.json, which a check runs, is gone/,
    ],
    [
      'the script behind the script',
      { 'package.json': scripts({ test: 'npm run unit', unit: 'vitest run' }) },
      { 'package.json': scripts({ test: 'npm run unit', unit: 'true' }) },
      /^the script "unit"/,
    ],
    [
      'a script of a folder',
      { 'web/package.json': scripts({ test: 'vitest run' }) },
      { 'web/package.json': scripts({ test: 'true' }) },
      /of web\/package\.json/,
      ['cd web && npm test'],
    ],
    [
      'a script by --prefix',
      { 'web/package.json': scripts({ test: 'vitest run' }) },
      { 'web/package.json': scripts({ test: 'true' }) },
      /of web\/package\.json/,
      ['CI=1 npm --prefix web run test -- --reporter=dot'],
    ],
    [
      'a script of yarn',
      { 'package.json': scripts({ unit: 'jest' }) },
      { 'package.json': scripts({ unit: 'true' }) },
      /"unit"/,
      ['yarn unit'],
    ],
    [
      'a target',
      { Makefile: MAKE },
      { Makefile: MAKE.replace('go vet ./...', 'true') },
      /^the target "test" of Makefile/,
      ['make test'],
    ],
    [
      'a target that it needs',
      { Makefile: MAKE },
      { Makefile: MAKE.replace('go test', '-go test') },
      /^the target "test"/,
      ['make -s test'],
    ],
    [
      'a variable of a target',
      { Makefile: MAKE },
      { Makefile: MAKE.replace('= -v', '= -v -run TestNothing') },
      /^the target "test"/,
      ['make test'],
    ],
    [
      'a target of an included file',
      { ...INCLUDES, 'mk/test.mk': MAKE },
      { ...INCLUDES, 'mk/test.mk': MAKE.replace('go vet ./...', 'true') },
      /^the target "test" of Makefile/,
      ['make test'],
    ],
    ...['MAKEFLAGS += -n', 'export MAKEFLAGS = -i', 'override SHELL := /bin/true', '.RECIPEPREFIX = #'].map(
      (line): Weakening => [
        `how make runs every target, by ${line}`,
        { Makefile: MAKE },
        { Makefile: `${line}\n${MAKE}` },
        /^the target "test"/,
        ['make test'],
      ],
    ),
    ...[
      'script-shell=/bin/true',
      ' "script-shell" = true',
      'node-options=--require ./x.cjs',
      'ignore-scripts=true',
      'if-present=true',
      'workspace=empty',
    ].map(
      (line): Weakening => [
        `how npm runs scripts, by ${line}`,
        { 'package.json': scripts({ test: 'vitest run' }) },
        {
          'package.json': scripts({ test: 'vitest run' }),
          '.npmrc': `registry=https://r.example\n${line}\n`,
        },
        /^the part of \.npmrc for scripts, which a check runs, was changed from "" to /,
        ['npm test'],
      ],
    ),
    [
      'a recipe of just',
      { justfile: 'test:\n  cargo test\n' },
      { justfile: 'test:\n  true\n' },
      /^the recipe "test" of justfile/,
      ['just test'],
    ],
    [
      'a shell script',
      { 'ci/test.sh': '#!/bin/sh\nnpm test\n' },
      { 'ci/test.sh': '#!/bin/sh\nexit 0\n' },
      /^ci\/test\.sh, which a check runs, was changed/,
      ['./ci/test.sh --all'],
    ],
    [
      'a shell script without an ending',
      { 'bin/check': '#!/usr/bin/env bash\nnpm test\n' },
      { 'bin/check': '#!/usr/bin/env bash\n' },
      /^bin\/check/,
      ['bin/check'],
    ],
    [
      'a deleted shell script',
      { 'ci/test.sh': 'npm test\n' },
      {},
      /^ci\/test\.sh, which a check runs, is gone/,
      ['sh ci/test.sh'],
    ],
    [
      'a shell script behind a script',
      { 'package.json': scripts({ test: 'sh ./run.sh' }), 'run.sh': 'vitest run' },
      { 'package.json': scripts({ test: 'sh ./run.sh' }), 'run.sh': 'true' },
      /^run\.sh/,
    ],
    [
      'a script that checks',
      { 'scripts/verify.mjs': 'check()' },
      { 'scripts/verify.mjs': '' },
      /^scripts\/verify\.mjs/,
      ['node scripts/verify.mjs'],
    ],
    [
      'vitest.config.ts',
      { 'vitest.config.ts': 'export default {}' },
      { 'vitest.config.ts': "export default { test: { exclude: ['**'] } }" },
      /^vitest\.config\.ts, which configures the test runner, was changed/,
    ],
    [
      'jest in package.json',
      { 'package.json': scripts({}, { jest: { bail: 1 } }) },
      { 'package.json': scripts({}, { jest: { testMatch: [] } }) },
      /^package\.json, which configures/,
    ],
    [
      'pytest in pyproject.toml',
      { 'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "-q"\n' },
      { 'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "-q -k nothing"\n' },
      /^pyproject\.toml/,
    ],
    [
      'a deleted pytest.ini',
      { 'pytest.ini': '[pytest]\naddopts = --strict\n' },
      {},
      /^pytest\.ini, which configures the test runner, was deleted/,
    ],
    [
      'a workflow of GitHub',
      { '.github/workflows/ci.yml': 'on: push\njobs: {}\n' },
      { '.github/workflows/ci.yml': 'on: never\n' },
      /^\.github\/workflows\/ci\.yml, which CI runs, was changed/,
    ],
    [
      'an imported mark of pytest',
      { 'test_add.py': PY },
      {
        'test_add.py': `from pytest import mark\n${PY.replace('def test_adds', '@mark.skip\ndef test_adds')}`,
      },
      /1 new skip/,
    ],
    [
      'a mark of pytest under another name',
      { 'test_add.py': PY },
      { 'test_add.py': `later = pytest.mark.xfail\n${PY.replace('def test_adds', '@later\ndef test_adds')}` },
      /1 new skip/,
    ],
    [
      'the skip of pytest by import',
      { 'test_add.py': PY },
      {
        'test_add.py': `from pytest import fixture, skip\n${PY.replace('    assert add', '    skip()\n    assert add')}`,
      },
      /1 new skip/,
    ],
    [
      'a conftest.py that leaves files out',
      { 'conftest.py': 'import os\n' },
      { 'conftest.py': 'import os\ncollect_ignore = ["test_add.py"]\n' },
      /^conftest\.py has 1 new skip/,
    ],
    [
      'a new conftest.py that leaves tests out',
      {},
      {
        'conftest.py':
          'def pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if "add" not in i.name]\n',
      },
      /^conftest\.py has 1 new skip/,
    ],
    [
      'a build constraint of go',
      { 'add_test.go': `package add\n\n${GO}` },
      { 'add_test.go': `//go:build never\n\npackage add\n\n${GO}` },
      /^add_test\.go has 1 new skip \(line 1: \/\/go:build never\)/,
    ],
    [
      'a condition on the tests of a rust file',
      { 'src/lib.rs': RUST },
      { 'src/lib.rs': RUST.replace('cfg(test)', 'cfg(all(test, feature = "slow"))') },
      /^src\/lib\.rs has 1 new skip/,
    ],
    ['a deleted .gitlab-ci.yml', { '.gitlab-ci.yml': 'test: {}\n' }, {}, /which CI runs, was deleted/],
  ])('%s', (_, before, after, said, commands) => {
    const lines = weakened(before, after, commands)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(said)
  })

  it('is reported once for each file, all kinds together', () => {
    const before = { 'a.test.js': CART, 'b.test.js': TAX, 'package.json': scripts({ test: 'vitest run' }) }
    const after = {
      'b.test.js': TAX.replaceAll('test(', 'test.skip('),
      'package.json': scripts({ test: 'true' }),
    }
    expect(weakened(before, after)).toEqual([
      'a.test.js was deleted, and no other test file has its tests',
      expect.stringContaining('b.test.js has 2 new skips'),
      expect.stringContaining('the script "test" of package.json'),
    ])
  })
})

describe('honest work is', () => {
  it.each<[string, Texts, Texts, string[]?]>([
    ['adding a test file', {}, { 'a.test.js': CART }],
    ['adding a test', { 'a.test.js': CART }, { 'a.test.js': CART + TAX }],
    [
      'editing the body of a test',
      { 'a.test.js': CART },
      { 'a.test.js': CART.replace('toBe(3)', 'toBe(4)') },
    ],
    [
      'renaming a test',
      { 'a.test.js': CART },
      { 'a.test.js': CART.replace('adds prices', 'adds all prices') },
    ],
    ['renaming a test file', { 'a.test.js': CART }, { 'cart.test.js': CART }],
    [
      'moving tests to another folder',
      { 'test/cart.test.js': CART, 'test/tax.test.js': TAX },
      { 'src/cart.test.js': CART.replace('../src', '.'), 'src/tax.test.js': TAX },
    ],
    ['splitting a test file', { 'all.test.js': CART + TAX }, { 'cart.test.js': CART, 'tax.test.js': TAX }],
    ['joining test files', { 'cart.test.js': CART, 'tax.test.js': TAX }, { 'cart.test.js': CART + TAX }],
    [
      'moving and editing',
      { 'cart.test.js': CART },
      { 'test/cart.spec.ts': CART.replace('toBe(3)', 'toBe(4)').replace(/^\s+it\(/gm, 'test(') },
    ],
    [
      'writing a test anew in another language',
      {
        'test/add.test.js':
          "test('adds', () => { assert.equal(add(1, 2), 3) })\ntest('subtracts', () => { assert.equal(sub(3, 2), 1) })\n",
      },
      { 'tests/test_add.py': PY },
    ],
    ['deleting a helper of tests', { 'test/helpers.js': 'export const wait = () => {}' }, {}],
    ['deleting a fixture', { 'test/fixtures/a.test.js': CART }, {}],
    ['deleting an empty test file', { 'a.test.js': '' }, {}],
    ['deleting code', { 'src/latest.js': 'export const a = 1' }, {}],
    [
      'a new go test for another system, beside one that changed',
      { 'add_test.go': `package add\n\n${GO}` },
      {
        'add_test.go': `package add\n\n${GO}// more\n`,
        'unix_test.go': `//go:build unix\n\npackage add\n\n${GO.replace('TestAdd', 'TestUnix')}`,
      },
    ],
    [
      'a go test that had its constraint before',
      { 'add_test.go': `//go:build unix\n\npackage add\n\n${GO}` },
      { 'add_test.go': `//go:build unix\n\npackage add\n\n${GO}${GO.replace('TestAdd', 'TestMore')}` },
    ],
    [
      'new tests of a feature in rust, beside others',
      { 'src/a.rs': RUST },
      {
        'src/a.rs': `${RUST}// more\n`,
        'src/b.rs': RUST.replace('cfg(test)', 'cfg(all(test, feature = "slow"))'),
      },
    ],
    [
      'what is only called skip in a test',
      { 'a.test.js': CART },
      {
        'a.test.js': CART.replace(
          'expect(total([1, 2]))',
          "const { skip, take } = page({\n      skip: 1,\n    })\n    if (take) expect(rows['skip'](take), skip).toBe(1)\n    expect(total([1, 2]))",
        ),
      },
    ],
    [
      'a conftest.py with a fixture, that sorts the tests',
      {},
      {
        'conftest.py':
          '@pytest.fixture\ndef cart():\n    return Cart()\n\ndef pytest_collection_modifyitems(items):\n    items[:] = sorted(items)\n',
      },
    ],
    [
      'a skip that was there before',
      { 'a.test.js': `${CART}it.skip('x', () => {})\n` },
      { 'a.test.js': `${TAX}${CART}it.skip('x', () => {})\n` },
    ],
    [
      'a skip that moves with its file',
      { 'a.test.js': CART.replace('it(', 'it.skip(') },
      { 'b/a.test.js': CART.replace('it(', 'it.skip(') },
    ],
    [
      'a skip that moves to another file',
      { 'a.test.js': `${CART}it.skip('x', () => {})\n`, 'b.test.js': TAX },
      { 'a.test.js': CART, 'b.test.js': `${TAX}it.skip('x', () => {})\n` },
    ],
    [
      'renaming a skipped test',
      { 'a.test.js': `${CART}it.skip('x', () => {})\n` },
      { 'a.test.js': `${CART}it.skip('y', () => {})\n` },
    ],
    ['taking a skip away', { 'a.test.js': CART.replace('it(', 'it.skip(') }, { 'a.test.js': CART }],
    [
      'the word in a comment',
      { 'a.test.js': CART },
      { 'a.test.js': `// it.skip('x') would be wrong\n/* test.only(\n it.skip( */\n${CART}` },
    ],
    [
      'the word in a string',
      { 'a.test.js': CART },
      {
        'a.test.js': `${CART}it("says it.skip('x')", () => {})\nit('test.only(', () => {})\nconst t = \`\nxit('a')\n\`\n`,
      },
    ],
    [
      'the word in a pattern',
      { 'a.test.js': CART },
      { 'a.test.js': `${CART}it('finds it', () => { expect(x).toMatch(/it.skip(/) })\n` },
    ],
    [
      'a property called skip',
      { 'a.test.js': CART },
      {
        'a.test.js': `${CART}it('pages', () => {\n  list({ skip: true, only: true }); rows.skip(5); model.fit('x')\n})\n`,
      },
    ],
    [
      'a new test that depends on the system',
      { 'a.test.js': CART },
      { 'a.test.js': `${CART}it.skipIf(isWindows)('links', () => {})\n` },
    ],
    [
      'a skip in a comment of python',
      { 'tests/test_a.py': PY },
      { 'tests/test_a.py': `# @pytest.mark.skip\n"""\n@pytest.mark.skip\n"""\n${PY}` },
    ],
    ['a skip outside of tests', { 'src/a.js': 'a()' }, { 'src/a.js': "it.skip('x')" }],
    ['Rust without tests', { 'src/a.rs': 'fn a() {}' }, { 'src/a.rs': "fn b<'a>(x: &'a str) {}" }],
    ['a test.todo', { 'a.test.js': CART }, { 'a.test.js': `${CART}it.todo('later')\n` }],
    [
      'a script next to the one behind a check',
      { 'package.json': scripts({ test: 'vitest run' }) },
      { 'package.json': scripts({ test: 'vitest run', dev: 'vite', 'test:e2e': 'playwright test' }) },
    ],
    [
      'a changed script that no check runs',
      { 'package.json': scripts({ test: 'vitest run', dev: 'vite' }) },
      { 'package.json': scripts({ test: 'vitest run', dev: 'next' }) },
    ],
    [
      'a new dependency',
      { 'package.json': scripts({ test: 'vitest run' }) },
      { 'package.json': scripts({ test: 'vitest run' }, { dependencies: { a: '1' } }) },
    ],
    [
      'a script that runs more',
      { 'package.json': scripts({ test: 'vitest run' }) },
      { 'package.json': scripts({ test: 'vitest run && tsc --noEmit' }) },
    ],
    [
      'a first script behind a check',
      { 'package.json': scripts({}) },
      { 'package.json': scripts({ test: 'vitest run' }) },
    ],
    [
      'a script in place of npm’s own',
      { 'package.json': scripts({ test: 'echo "Error: no test specified" && exit 1' }) },
      { 'package.json': scripts({ test: 'vitest run' }) },
    ],
    [
      'a registry for npm',
      { 'package.json': scripts({ test: 'vitest run' }), '.npmrc': 'script-shell=/bin/bash\n' },
      {
        'package.json': scripts({ test: 'vitest run' }),
        '.npmrc': 'registry=https://r.example\nscript-shell=/bin/bash\n',
      },
    ],
    [
      'a Makefile that was split',
      { Makefile: MAKE },
      { Makefile: 'include rules.mk\n', 'rules.mk': MAKE },
      ['make test'],
    ],
    [
      'another target of the Makefile',
      { Makefile: MAKE },
      { Makefile: `${MAKE}\nlint:\n\tgolint ./...\n` },
      ['make test'],
    ],
    [
      'a comment in a shell script',
      { 'ci/test.sh': '#!/bin/sh\nnpm test\n' },
      { 'ci/test.sh': '#!/bin/sh\n# all of them\nnpm  test\n' },
      ['ci/test.sh'],
    ],
    [
      'the test file that a check names',
      { 'test.js': 'assert(add(1, 2) === 3)' },
      { 'test.js': 'assert(add(1, 2) === 3)\nassert(add(2, 2) === 4)' },
      ['node test.js'],
    ],
    ['the program that a check starts', { 'index.js': 'a()' }, { 'index.js': 'b()' }, ['node index.js']],
    [
      'a new configuration',
      {},
      { 'vitest.config.ts': 'export default {}', '.github/workflows/ci.yml': 'on: push\n' },
    ],
    [
      'a comment in a configuration',
      { 'jest.config.js': 'module.exports = {}' },
      { 'jest.config.js': '/** For the tests.\n * All of them. */\nmodule.exports = {}' },
    ],
    [
      'another part of pyproject.toml',
      { 'pyproject.toml': '[project]\nname = "a"\n[tool.pytest.ini_options]\naddopts = "-q"\n' },
      {
        'pyproject.toml':
          '[project]\nname = "a"\ndependencies = ["x"]\n[tool.pytest.ini_options]\naddopts = "-q"\n',
      },
    ],
    [
      'a package.json that cannot be read',
      { 'package.json': '{' },
      { 'package.json': scripts({ test: 'vitest run' }) },
    ],
  ])('%s', (_, before, after, commands) => {
    expect(weakened(before, after, commands)).toEqual([])
  })

  it('a restored test, which is as it was', () => {
    expect(weakened({ 'a.test.js': CART }, { 'a.test.js': CART })).toEqual([])
  })
})

describe('a test in a language that is not read', () => {
  it.each([
    'tests/CartTest.php',
    'Tests/AppTests/CartTests.swift',
    'test/cart_test.exs',
    'src/cart_test.cpp',
    'test_cart.c',
    'spec/cart_spec.lua',
    't/cart.t',
    'cart.bats',
    'features/cart.feature',
    'src/CartSpec.scala',
  ])('is named if it changed or is gone, and nothing is said of its tests: %s', path => {
    expect(isWatched(path, { commands: [] })).toBe(true)
    for (const after of ['', null]) {
      const files = [{ path, before: 'testAdds()', after }]
      expect(changedUnread(files)).toEqual([path])
      expect(weakenedBy(files, { commands: [], folder: '' }, () => null)).toEqual([])
    }
  })

  it('is not named if it is new', () => {
    expect(changedUnread([{ path: 'ATest.php', before: null, after: 'testAdds()' }])).toEqual([])
  })

  it.each(['src/Cart.php', 'src/contest.c', 'tests/data.csv', 'tests/fixtures/ATest.php', 'a.test.js'])(
    'is not %s',
    path => expect(changedUnread([{ path, before: 'a', after: 'b' }])).toEqual([]),
  )
})

describe('a file that cannot weaken tests', () => {
  it.each([
    'src/cart.js',
    'README.md',
    'docs/testing.md',
    'package-lock.json',
    'src/contest.ts',
    'assets/spec.png',
  ])('is not even read: %s', path => expect(isWatched(path, { commands: ['npm test'] })).toBe(false))
})

describe('many files', () => {
  it('are compared in a short time: a folder of tests that moved', () => {
    const files = Array.from(
      { length: 1500 },
      (_, n) => [`t${n}.test.js`, CART.replaceAll('cart', `cart ${n}`)] as const,
    )
    const moved = files.map(([path, text]) => [`test/new/${path.replace('t', 'x')}`, text] as const)
    expect(weakened(Object.fromEntries(files), Object.fromEntries(moved))).toEqual([])
  })

  it('and files full of what takes long to read', () => {
    for (const part of ['/*', '`', '"', "it.skip('", 'it(', '/[', '((((', '@test\n', '#'])
      for (const path of [
        'a.test.js',
        'test_a.py',
        'a_test.go',
        'a.rs',
        'ATest.java',
        'ATests.cs',
        'a_spec.rb',
      ])
        weakened({ [path]: 'a' }, { [path]: part.repeat(200_000 / part.length) })
  })
})

describe('fewer tests than before', () => {
  const green = (count?: number | null, check = 'npm test'): Finding => ({
    check,
    verdict: 'pass',
    note: '',
    ...(count !== undefined && { count }),
  })
  const fewer = (finding: Finding, before: Record<string, number>, files: Texts = {}) =>
    fewerTests([finding], before, '', path => files[path] ?? null)

  it('are reported with both numbers', () => {
    expect(fewer(green(9), { 'npm test': 12 })).toEqual([
      '`npm test` ran 9 of the 12 tests that it ran before',
    ])
    const none = ['`npm test` ran none of the 12 tests that it ran before']
    expect(fewer(green(), { 'npm test': 12 })).toEqual(none)
  })

  it.each<[string, Finding, Record<string, number>, Texts?]>([
    ['more of them', green(13), { 'npm test': 12 }],
    ['as many', green(12), { 'npm test': 12 }],
    ['a check that tells no number, as before', green(), {}],
    ['a check whose number cannot be compared', green(null), { 'npm test': 12 }],
    ['a check that told none before', green(1), {}],
    ['another check', green(1, 'npm run lint'), { 'npm test': 12 }],
    ['a red check, which may have stopped early', { ...green(1), verdict: 'fail' }, { 'npm test': 12 }],
    ['a check that runs what changed', green(1, 'vitest run --changed'), { 'vitest run --changed': 12 }],
    ['one that runs what failed', green(1, 'pytest --lf'), { 'pytest --lf': 12 }],
    [
      'one that does so behind a script',
      green(1),
      { 'npm test': 12 },
      { 'package.json': scripts({ test: 'jest --onlyChanged' }) },
    ],
  ])('are not: %s', (_, finding, before, files) => {
    expect(fewer(finding, before, files)).toEqual([])
  })
})
