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
const VITEST = scripts({ test: 'vitest run' })
const MAKE = 'FLAGS = -v\n\nall: build\n\ntest: unit\n\tgo vet ./...\n\nunit:\n\tgo test $(FLAGS) ./...\n'

const INCLUDES = { Makefile: 'include mk/all.mk\n', 'mk/all.mk': '-include mk/test.mk mk/all.mk\n' }

/** One file, before and after. */
const change = (path: string, before: string, after: string): [Texts, Texts] => [
  { [path]: before },
  { [path]: after },
]
const edit = (path: string, text: string, from: string | RegExp, to: string) =>
  change(path, text, text.replace(from, to))
const cart = (from: string | RegExp, to: string) => edit('a.test.js', CART, from, to)
const py = (from: string, to: string) => edit('tests/test_add.py', PY, from, to)
const rust = (from: string, to: string) => edit('src/lib.rs', RUST, from, to)

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
    ['an emptied test file', ...change('a.test.js', CART, ''), /^a\.test\.js has lost all its tests/],
    ['a test file all in comments', ...cart(/^/gm, '// '), /lost all its tests/],
    ['a deleted python test', { 'tests/test_add.py': PY }, {}, /^tests\/test_add\.py was deleted/],
    ['a deleted go test', { 'add_test.go': GO }, {}, /^add_test\.go was deleted/],
    [
      'tests deleted from a rust file',
      ...change('src/lib.rs', RUST, 'fn add() {}\n'),
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
      ...cart("it('adds", "it.skip('adds"),
      /^a\.test\.js has 1 new skip \(line 5: it\.skip\('adds prices'/,
    ],
    ['two of them', ...change('a.test.js', CART, CART.replaceAll('it(', 'it.skip(')), /2 new skips/],
    ['describe.skip', ...edit('a.test.ts', CART, 'describe(', 'describe.skip('), /1 new skip/],
    ['it.only', ...cart("it('adds", "it.only('adds"), /lets only some of its tests run/],
    ['xit', ...edit('a.spec.ts', CART, "it('adds", "xit('adds"), /1 new skip/],
    ['fdescribe', ...edit('a.spec.ts', CART, 'describe(', 'fdescribe('), /lets only some/],
    ['it.fails', ...cart("it('adds", "it.fails('adds"), /1 new skip/],
    [
      'test.concurrent.skip',
      ...edit('a.test.js', TAX, "test('taxes are", "test.concurrent.skip('taxes are"),
      /1 new skip/,
    ],
    [
      'skip: true of node:test',
      ...edit('a.test.js', TAX, "added', ()", "added', { skip: true }, ()"),
      /1 new skip/,
    ],
    [
      'skip: 1 in an object of several lines',
      ...edit('a.test.js', TAX, "added', ()", "added', {\n  timeout: 5,\n  skip: 1,\n}, ()"),
      /1 new skip/,
    ],
    [
      'skip of a test’s own context',
      ...edit('a.test.js', TAX, "added', () => {", "added', ({ skip }) => { skip()"),
      /1 new skip/,
    ],
    [
      'skip under another name',
      ...change(
        'a.test.js',
        CART,
        CART.replace("it('adds", "skip('adds").replace('describe(', 'const { skip } = it\ndescribe('),
      ),
      /1 new skip/,
    ],
    ["it['skip']", ...cart("it('adds", "it['skip']('adds"), /1 new skip/],
    ['a table without rows', ...cart("it('adds", "it.each([])('adds"), /1 new skip/],
    ['a condition before a test', ...cart("it('adds", "if (process.env.ALL_TESTS) it('adds"), /1 new skip/],
    [
      'this.skip()',
      ...cart('() => {\n    expect(total([1', '() => {\n    this.skip()\n    expect(total([1'),
      /1 new skip/,
    ],
    ['skipIf on a test that ran', ...cart("it('adds", "it.skipIf(true)('adds"), /1 new skip/],
    [
      'a skip that moved to another test',
      ...change(
        'a.test.js',
        CART.replace("it('adds", "it.skip('adds"),
        CART.replace("it('knows", "it.skip('knows"),
      ),
      /1 new skip/,
    ],
    [
      'a new test that is skipped',
      ...change('a.test.js', CART, `${CART}it.skip('later', () => {})\n`),
      /1 new skip/,
    ],
    ['pytest.mark.skip', ...py('def test_adds', '@pytest.mark.skip\ndef test_adds'), /1 new skip/],
    [
      'pytest.mark.xfail',
      ...py('def test_adds', '@pytest.mark.xfail(reason="x")\ndef test_adds'),
      /1 new skip/,
    ],
    [
      'pytest.mark.skipif on a test that ran',
      ...py('def test_adds', '@pytest.mark.skipif(True, reason="x")\ndef test_adds'),
      /1 new skip/,
    ],
    ['pytest.skip()', ...py('    assert add', '    pytest.skip("no")\n    assert add'), /1 new skip/],
    ['unittest.skip', ...py('def test_adds', '@unittest.skip("x")\ndef test_adds'), /1 new skip/],
    ['t.Skip', ...edit('add_test.go', GO, '\tif', '\tt.Skip("flaky")\n\tif'), /^add_test\.go has 1 new skip/],
    ['#[ignore]', ...rust('#[test]', '#[test]\n    #[ignore]'), /1 new skip/],
    ['@Disabled', ...edit('src/test/java/CartTest.java', JAVA, '@Test', '@Disabled\n  @Test'), /1 new skip/],
    ['@Ignore with a reason', ...edit('CartTest.kt', JAVA, '@Test', '@Ignore("later") @Test'), /1 new skip/],
    ['Skip of xunit', ...edit('CartTests.cs', CSHARP, '[Fact]', '[Fact(Skip = "x")]'), /1 new skip/],
    ['[Ignore] of nunit', ...edit('CartTests.cs', CSHARP, '[Fact]', '[Fact]\n  [Ignore("x")]'), /1 new skip/],
    ['xit of rspec', ...edit('spec/cart_spec.rb', RUBY, "it '", "xit '"), /1 new skip/],
    [
      'skip of rspec',
      ...edit('spec/cart_spec.rb', RUBY, '    expect', "    skip 'no'\n    expect"),
      /1 new skip/,
    ],
    [
      'focus of rspec',
      ...edit('spec/cart_spec.rb', RUBY, "prices' do", "prices', :focus do"),
      /lets only some/,
    ],
    [
      'another script behind the check',
      ...change('package.json', VITEST, scripts({ test: 'true' })),
      /^the script "test" of package\.json, which a check runs, was changed from "vitest run" to "true"$/,
    ],
    [
      'a script that ignores failures',
      ...change('package.json', VITEST, scripts({ test: 'vitest run || true' })),
      /was changed/,
    ],
    [
      'a script that exits first',
      ...change('package.json', VITEST, scripts({ test: 'exit 0; vitest run' })),
      /was changed/,
    ],
    [
      'a script that filters',
      ...change('package.json', VITEST, scripts({ test: 'vitest run -t cart' })),
      /was changed/,
    ],
    [
      'a script that is gone',
      ...change('package.json', VITEST, scripts({})),
      /"test" of package\.json, which a check runs, is gone/,
    ],
    [
      'the script behind the script',
      ...change(
        'package.json',
        scripts({ test: 'npm run unit', unit: 'vitest run' }),
        scripts({ test: 'npm run unit', unit: 'true' }),
      ),
      /^the script "unit"/,
    ],
    [
      'a script of a folder',
      ...change('web/package.json', VITEST, scripts({ test: 'true' })),
      /of web\/package\.json/,
      ['cd web && npm test'],
    ],
    [
      'a script by --prefix',
      ...change('web/package.json', VITEST, scripts({ test: 'true' })),
      /of web\/package\.json/,
      ['CI=1 npm --prefix web run test -- --reporter=dot'],
    ],
    [
      'a script of yarn',
      ...change('package.json', scripts({ unit: 'jest' }), scripts({ unit: 'true' })),
      /"unit"/,
      ['yarn unit'],
    ],
    [
      'a target',
      ...edit('Makefile', MAKE, 'go vet ./...', 'true'),
      /^the target "test" of Makefile/,
      ['make test'],
    ],
    [
      'a target that it needs',
      ...edit('Makefile', MAKE, 'go test', '-go test'),
      /^the target "test"/,
      ['make -s test'],
    ],
    [
      'a variable of a target',
      ...edit('Makefile', MAKE, '= -v', '= -v -run TestNothing'),
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
        ...change('Makefile', MAKE, `${line}\n${MAKE}`),
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
        { 'package.json': VITEST },
        {
          'package.json': VITEST,
          '.npmrc': `registry=https://r.example\n${line}\n`,
        },
        /^the part of \.npmrc for scripts, which a check runs, was changed from "" to /,
        ['npm test'],
      ],
    ),
    [
      'a recipe of just',
      ...change('justfile', 'test:\n  cargo test\n', 'test:\n  true\n'),
      /^the recipe "test" of justfile/,
      ['just test'],
    ],
    [
      'a shell script',
      ...change('ci/test.sh', '#!/bin/sh\nnpm test\n', '#!/bin/sh\nexit 0\n'),
      /^ci\/test\.sh, which a check runs, was changed/,
      ['./ci/test.sh --all'],
    ],
    [
      'a shell script without an ending',
      ...change('bin/check', '#!/usr/bin/env bash\nnpm test\n', '#!/usr/bin/env bash\n'),
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
      ...change('scripts/verify.mjs', 'check()', ''),
      /^scripts\/verify\.mjs/,
      ['node scripts/verify.mjs'],
    ],
    [
      'vitest.config.ts',
      ...change('vitest.config.ts', 'export default {}', "export default { test: { exclude: ['**'] } }"),
      /^vitest\.config\.ts, which configures the test runner, was changed/,
    ],
    [
      'jest in package.json',
      ...change('package.json', scripts({}, { jest: { bail: 1 } }), scripts({}, { jest: { testMatch: [] } })),
      /^package\.json, which configures/,
    ],
    [
      'pytest in pyproject.toml',
      ...change(
        'pyproject.toml',
        '[tool.pytest.ini_options]\naddopts = "-q"\n',
        '[tool.pytest.ini_options]\naddopts = "-q -k nothing"\n',
      ),
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
      ...change('.github/workflows/ci.yml', 'on: push\njobs: {}\n', 'on: never\n'),
      /^\.github\/workflows\/ci\.yml, which CI runs, was changed/,
    ],
    [
      'an imported mark of pytest',
      ...change(
        'test_add.py',
        PY,
        `from pytest import mark\n${PY.replace('def test_adds', '@mark.skip\ndef test_adds')}`,
      ),
      /1 new skip/,
    ],
    [
      'a mark of pytest under another name',
      ...change(
        'test_add.py',
        PY,
        `later = pytest.mark.xfail\n${PY.replace('def test_adds', '@later\ndef test_adds')}`,
      ),
      /1 new skip/,
    ],
    [
      'the skip of pytest by import',
      ...change(
        'test_add.py',
        PY,
        `from pytest import fixture, skip\n${PY.replace('    assert add', '    skip()\n    assert add')}`,
      ),
      /1 new skip/,
    ],
    [
      'a conftest.py that leaves files out',
      ...change('conftest.py', 'import os\n', 'import os\ncollect_ignore = ["test_add.py"]\n'),
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
      ...change('add_test.go', `package add\n\n${GO}`, `//go:build never\n\npackage add\n\n${GO}`),
      /^add_test\.go has 1 new skip \(line 1: \/\/go:build never\)/,
    ],
    [
      'a condition on the tests of a rust file',
      ...rust('cfg(test)', 'cfg(all(test, feature = "slow"))'),
      /^src\/lib\.rs has 1 new skip/,
    ],
    ['a deleted .gitlab-ci.yml', { '.gitlab-ci.yml': 'test: {}\n' }, {}, /which CI runs, was deleted/],
  ])('%s', (_, before, after, said, commands) => {
    const lines = weakened(before, after, commands)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(said)
  })

  it('is reported once for each file, all kinds together', () => {
    const before = { 'a.test.js': CART, 'b.test.js': TAX, 'package.json': VITEST }
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
    ['adding a test', ...change('a.test.js', CART, CART + TAX)],
    ['editing the body of a test', ...cart('toBe(3)', 'toBe(4)')],
    ['renaming a test', ...cart('adds prices', 'adds all prices')],
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
      ...change(
        'add_test.go',
        `//go:build unix\n\npackage add\n\n${GO}`,
        `//go:build unix\n\npackage add\n\n${GO}${GO.replace('TestAdd', 'TestMore')}`,
      ),
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
      ...cart(
        'expect(total([1, 2]))',
        "const { skip, take } = page({\n      skip: 1,\n    })\n    if (take) expect(rows['skip'](take), skip).toBe(1)\n    expect(total([1, 2]))",
      ),
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
      ...change('a.test.js', `${CART}it.skip('x', () => {})\n`, `${TAX}${CART}it.skip('x', () => {})\n`),
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
      ...change('a.test.js', `${CART}it.skip('x', () => {})\n`, `${CART}it.skip('y', () => {})\n`),
    ],
    ['taking a skip away', ...change('a.test.js', CART.replace('it(', 'it.skip('), CART)],
    [
      'the word in a comment',
      ...change('a.test.js', CART, `// it.skip('x') would be wrong\n/* test.only(\n it.skip( */\n${CART}`),
    ],
    [
      'the word in a string',
      ...change(
        'a.test.js',
        CART,
        `${CART}it("says it.skip('x')", () => {})\nit('test.only(', () => {})\nconst t = \`\nxit('a')\n\`\n`,
      ),
    ],
    [
      'the word in a pattern',
      ...change('a.test.js', CART, `${CART}it('finds it', () => { expect(x).toMatch(/it.skip(/) })\n`),
    ],
    [
      'a property called skip',
      ...change(
        'a.test.js',
        CART,
        `${CART}it('pages', () => {\n  list({ skip: true, only: true }); rows.skip(5); model.fit('x')\n})\n`,
      ),
    ],
    [
      'a new test that depends on the system',
      ...change('a.test.js', CART, `${CART}it.skipIf(isWindows)('links', () => {})\n`),
    ],
    [
      'a skip in a comment of python',
      ...change('tests/test_a.py', PY, `# @pytest.mark.skip\n"""\n@pytest.mark.skip\n"""\n${PY}`),
    ],
    ['a skip outside of tests', ...change('src/a.js', 'a()', "it.skip('x')")],
    ['Rust without tests', ...change('src/a.rs', 'fn a() {}', "fn b<'a>(x: &'a str) {}")],
    ['a test.todo', ...change('a.test.js', CART, `${CART}it.todo('later')\n`)],
    [
      'a script next to the one behind a check',
      ...change(
        'package.json',
        VITEST,
        scripts({ test: 'vitest run', dev: 'vite', 'test:e2e': 'playwright test' }),
      ),
    ],
    [
      'a changed script that no check runs',
      ...change(
        'package.json',
        scripts({ test: 'vitest run', dev: 'vite' }),
        scripts({ test: 'vitest run', dev: 'next' }),
      ),
    ],
    [
      'a new dependency',
      ...change('package.json', VITEST, scripts({ test: 'vitest run' }, { dependencies: { a: '1' } })),
    ],
    [
      'a script that runs more',
      ...change('package.json', VITEST, scripts({ test: 'vitest run && tsc --noEmit' })),
    ],
    ['a first script behind a check', ...change('package.json', scripts({}), VITEST)],
    [
      'a script in place of npm’s own',
      ...change('package.json', scripts({ test: 'echo "Error: no test specified" && exit 1' }), VITEST),
    ],
    [
      'a registry for npm',
      { 'package.json': VITEST, '.npmrc': 'script-shell=/bin/bash\n' },
      {
        'package.json': VITEST,
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
      ...change('Makefile', MAKE, `${MAKE}\nlint:\n\tgolint ./...\n`),
      ['make test'],
    ],
    [
      'a comment in a shell script',
      ...change('ci/test.sh', '#!/bin/sh\nnpm test\n', '#!/bin/sh\n# all of them\nnpm  test\n'),
      ['ci/test.sh'],
    ],
    [
      'the test file that a check names',
      ...change('test.js', 'assert(add(1, 2) === 3)', 'assert(add(1, 2) === 3)\nassert(add(2, 2) === 4)'),
      ['node test.js'],
    ],
    ['the program that a check starts', ...change('index.js', 'a()', 'b()'), ['node index.js']],
    [
      'a new configuration',
      {},
      { 'vitest.config.ts': 'export default {}', '.github/workflows/ci.yml': 'on: push\n' },
    ],
    [
      'a comment in a configuration',
      ...change(
        'jest.config.js',
        'module.exports = {}',
        '/** For the tests.\n * All of them. */\nmodule.exports = {}',
      ),
    ],
    [
      'another part of pyproject.toml',
      ...change(
        'pyproject.toml',
        '[project]\nname = "a"\n[tool.pytest.ini_options]\naddopts = "-q"\n',
        '[project]\nname = "a"\ndependencies = ["x"]\n[tool.pytest.ini_options]\naddopts = "-q"\n',
      ),
    ],
    ['a package.json that cannot be read', ...change('package.json', '{', VITEST)],
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
