import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { propose, readFiles } from '../../../src/cli/commands/init/propose.ts'
import { scratch } from '../../support/scratch.ts'

const scripts = (scripts: unknown, more: object = {}) => JSON.stringify({ scripts, ...more })

const ALL = { build: 'tsc', check: 'x', lint: 'eslint .', start: 'node .', test: 'vitest', typecheck: 'tsc' }

test.each<[string, Record<string, string>, string[]]>([
  ['no files', {}, []],
  [
    'scripts of package.json, those that verify',
    { 'package.json': scripts(ALL) },
    ['npm test', 'npm run lint', 'npm run typecheck', 'npm run check', 'npm run build'],
  ],
  ['npm by its lock file', { 'package.json': scripts({ test: 'x' }), 'package-lock.json': '' }, ['npm test']],
  ['pnpm', { 'package.json': scripts({ test: 'x' }), 'pnpm-lock.yaml': '' }, ['pnpm run test']],
  ['yarn', { 'package.json': scripts({ lint: 'x' }), 'yarn.lock': '' }, ['yarn run lint']],
  ['bun', { 'package.json': scripts({ test: 'x' }), 'bun.lock': '' }, ['bun run test']],
  ['bun of old', { 'package.json': scripts({ test: 'x' }), 'bun.lockb': '' }, ['bun run test']],
  [
    'the package manager that package.json names, before any lock file',
    { 'package.json': scripts({ test: 'x' }, { packageManager: 'pnpm@9.1.0' }), 'yarn.lock': '' },
    ['pnpm run test'],
  ],
  [
    "npm's own placeholder",
    { 'package.json': scripts({ test: 'echo "Error: no test specified" && exit 1', lint: 'x' }) },
    ['npm run lint'],
  ],
  [
    'scripts that never end',
    { 'package.json': scripts({ test: 'jest --watch', lint: 'x --watchAll', check: 'x --watch=false' }) },
    ['npm run check'],
  ],
  ['a script that is no text', { 'package.json': scripts({ test: 1, lint: null }) }, []],
  ['scripts that are no object', { 'package.json': scripts(['test']) }, []],
  ['a package.json that is none', { 'package.json': '{ "scripts": ' }, []],
  ['another one that is none', { 'package.json': '[]' }, []],
  ['a lock file alone', { 'yarn.lock': '' }, []],
  [
    'targets of a makefile, alone and together, with and without prerequisites',
    { Makefile: 'all: build\n\nlint test:: deps ; run\n\t@echo check: x\ncheck :\n' },
    ['make test', 'make lint', 'make check'],
  ],
  [
    'what only looks like a target',
    { Makefile: '.PHONY: test lint\ntest := a:b\nlint ::= x\ncheck = a: b\n# test: no\ntests: x\n' },
    [],
  ],
  ['the makefile that make prefers', { Makefile: 'test:\n', GNUmakefile: 'lint:\n' }, ['make lint']],
  ['a makefile in lower case', { makefile: 'test:\n' }, ['make test']],
  [
    'recipes of a justfile that need no argument',
    { justfile: 'check *args: build\n  x\n@lint path="src":\n  x\ntest:\n  x\n' },
    ['just test', 'just lint', 'just check'],
  ],
  [
    'what only looks like a recipe, or needs an argument',
    { justfile: 'test filter:\n  x\nlint := "x"\nset check := true\nalias check := test\n  check:\n' },
    [],
  ],
  [
    'tools that pyproject.toml configures',
    { 'pyproject.toml': '[tool.pytest.ini_options]\n[tool.ruff.lint]\n[[tool.mypy.overrides]]\n' },
    ['pytest', 'ruff check .', 'mypy .'],
  ],
  [
    'tools that pyproject.toml depends on',
    {
      'pyproject.toml':
        '[dependency-groups]\ndev = ["ruff>=0.4", \'mypy\']\n[tool.poetry.dev-dependencies]\npytest = "^8"\n',
    },
    ['pytest', 'ruff check .', 'mypy .'],
  ],
  [
    'nothing for what only has their name in it',
    { 'pyproject.toml': '[tool.other]\nuse = ["pytest-cov", "ruff_x"]\n[tool.mypyc]\n' },
    [],
  ],
  ['pytest for any Python project', { 'pyproject.toml': '[project]\nname = "x"\n' }, ['pytest']],
  ['the environment of uv', { 'pyproject.toml': '[project]\n', 'uv.lock': '' }, ['uv run pytest']],
  [
    'the environment of poetry',
    { 'pyproject.toml': '[tool.ruff]\n', 'poetry.lock': '' },
    ['poetry run ruff check .'],
  ],
  ['Go', { 'go.mod': 'module x\n' }, ['go build ./...', 'go vet ./...', 'go test ./...']],
  ['Rust', { 'Cargo.toml': '[package]\nname = "x"\n[lints]\nworkspace = true\n' }, ['cargo test']],
  [
    'clippy where the manifest speaks of it',
    { 'Cargo.toml': '[workspace.lints.clippy]\nall = "deny"\n' },
    ['cargo test', 'cargo clippy -- -D warnings'],
  ],
  [
    'clippy where it has a file',
    { 'Cargo.toml': '[package]\n', '.clippy.toml': '' },
    ['cargo test', 'cargo clippy -- -D warnings'],
  ],
])('%s', (_, files, commands) => {
  expect(propose(files).map(proposal => proposal.command)).toEqual(commands)
})

test('a proposal says which file it comes from', () => {
  expect(propose({ justfile: 'test:\n', 'go.mod': '', makefile: 'lint:\n' })).toEqual([
    { command: 'make lint', from: 'makefile' },
    { command: 'just test', from: 'justfile' },
    { command: 'go build ./...', from: 'go.mod' },
    { command: 'go vet ./...', from: 'go.mod' },
    { command: 'go test ./...', from: 'go.mod' },
  ])
})

test('a file is read if it is one and of a size that people write; of a lock file only the presence counts', () => {
  const dir = scratch()
  writeFileSync(join(dir, 'package.json'), '{}')
  writeFileSync(join(dir, 'yarn.lock'), 'long')
  writeFileSync(join(dir, 'go.mod'), ' '.repeat(1024 * 1024 + 1))
  writeFileSync(join(dir, 'README.md'), 'x')
  execFileSync('mkfifo', [join(dir, 'Makefile')])
  mkdirSync(join(dir, 'Cargo.toml'))
  expect(readFiles(dir)).toEqual({ 'package.json': '{}', 'yarn.lock': '' })
})
