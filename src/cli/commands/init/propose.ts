import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, jsonIn } from '../../../core/json.ts'
import { LIMITS, textAt } from '../../../store/files/read.ts'

export type Proposal = { command: string; from: string }

/** A project's files, by name. */
export type Files = Readonly<Record<string, string>>

type Source = {
  /** Its program reads the first of these that exists. */
  names: readonly string[]
  find(text: string, files: Files): string[]
}

const SOURCES: readonly Source[] = [
  { names: ['package.json'], find: findScripts },
  { names: ['GNUmakefile', 'makefile', 'Makefile'], find: text => findTargets(text).map(t => `make ${t}`) },
  { names: ['justfile', 'Justfile', '.justfile'], find: text => findRecipes(text).map(r => `just ${r}`) },
  { names: ['pyproject.toml'], find: findPythonTools },
  { names: ['go.mod'], find: () => ['go build ./...', 'go vet ./...', 'go test ./...'] },
  { names: ['Cargo.toml'], find: findCargo },
]

/** Package managers by their lock files. Without one, npm. */
const LOCKS: readonly (readonly [file: string, manager: string])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
]

/** Runners by their lock files. They know the environment in which the tools are installed. */
const RUNNERS: readonly (readonly [file: string, runner: string])[] = [
  ['uv.lock', 'uv run '],
  ['poetry.lock', 'poetry run '],
]

const CLIPPY_FILES = ['clippy.toml', '.clippy.toml']

/** The files whose text `propose` reads, and those whose presence is enough. */
const READ_FILES = SOURCES.flatMap(source => source.names)
const PRESENCE_FILES = [...[...LOCKS, ...RUNNERS].map(([file]) => file), ...CLIPPY_FILES]

/** Commands that could verify work in a project, judged only by its files. */
export const propose = (files: Files): Proposal[] =>
  SOURCES.flatMap(({ names, find }) => {
    const from = names.find(name => Object.hasOwn(files, name))
    return from === undefined ? [] : find(files[from]!, files).map(command => ({ command, from }))
  })

/** Clippy only if the project mentions it, because it is not installed everywhere. */
function findCargo(text: string, files: Files): string[] {
  const usesClippy =
    CLIPPY_FILES.some(name => Object.hasOwn(files, name)) ||
    hasSection(text, 'lints.clippy') ||
    hasSection(text, 'workspace.lints.clippy')
  return usesClippy ? ['cargo test', 'cargo clippy -- -D warnings'] : ['cargo test']
}

const SCRIPTS = ['test', 'lint', 'typecheck', 'check', 'build']

/** The scripts of a package.json that verify something, as its package manager runs them. */
function findScripts(text: string, files: Files): string[] {
  const read = jsonIn(text)
  // npm will complain about one that is no object; here it only means that there is nothing to propose.
  const manifest = isObject(read) ? read : {}
  const scripts = isObject(manifest.scripts) ? manifest.scripts : {}
  const manager = managerOf(manifest, files)
  return SCRIPTS.filter(name => Object.hasOwn(scripts, name) && verifies(scripts[name])).map(name =>
    manager === 'npm' && name === 'test' ? 'npm test' : `${manager} run ${name}`,
  )
}

/** Excludes the placeholder that `npm init` writes, and scripts that watch for changes without end. */
const verifies = (script: unknown): boolean =>
  typeof script === 'string' &&
  !script.includes('no test specified') &&
  !/\s--watch(?:All)?(?:\s|$)/.test(script)

function managerOf(manifest: Record<string, unknown>, files: Files): string {
  const named = /^(?:npm|pnpm|yarn|bun)(?=@)/.exec(String(manifest.packageManager))?.[0]
  return named ?? LOCKS.find(([file]) => Object.hasOwn(files, file))?.[1] ?? 'npm'
}

const TARGETS = ['test', 'lint', 'check']

/** The targets of a makefile that verify something. `test := x` is a variable, `.PHONY: test` no rule for it. */
function findTargets(makefile: string): string[] {
  const rules = [...makefile.matchAll(/^([^\s#:=][^#:=\n]*)::?(?!:*=)/gm)]
  const targets = new Set(rules.flatMap(([, names]) => names!.trim().split(/\s+/)))
  return TARGETS.filter(name => targets.has(name))
}

/** The recipes of a justfile that verify something and need no argument. */
function findRecipes(justfile: string): string[] {
  const heads = [...justfile.matchAll(/^@?([\w-]+)([^:\n]*):(?!=)/gm)]
  const callable = heads.filter(([, , parameters]) => parameters!.split(/\s+/).every(isOptional))
  const recipes = new Set(callable.map(([, name]) => name))
  return TARGETS.filter(name => recipes.has(name))
}

/** `filter="all"` has a default, `*rest` may be empty. */
const isOptional = (parameter: string): boolean => parameter === '' || /^\*|=/.test(parameter)

/** The tools that a pyproject.toml configures or depends on. Any project is assumed to have tests. */
function findPythonTools(text: string, files: Files): string[] {
  const runner = RUNNERS.find(([file]) => Object.hasOwn(files, file))?.[1] ?? ''
  const tools = [
    { command: 'pytest', found: uses(text, 'pytest') || hasSection(text, 'project') },
    { command: 'ruff check .', found: uses(text, 'ruff') },
    { command: 'mypy .', found: uses(text, 'mypy') },
  ]
  return tools.filter(tool => tool.found).map(tool => runner + tool.command)
}

/** A section of its own, or a dependency: `"ruff>=0.4"` in a list, `ruff = "^0.4"` on a line. */
const uses = (text: string, tool: string): boolean =>
  hasSection(text, `tool.${tool}`) || new RegExp(`(?:^|["'])${tool}\\s*[=<>~!@;\\["']`, 'm').test(text)

/** Whether a TOML text has this table, or one below it: `tool.ruff` is there with `[tool.ruff.lint]` only. */
const hasSection = (text: string, name: string): boolean =>
  new RegExp(`^[ \\t]*\\[\\[?[ \\t]*${name.replaceAll('.', '\\.')}[ \\t]*[.\\]]`, 'm').test(text)

/** The files of a project that `propose` needs. A file that cannot be read counts as missing. */
export function readFiles(project: string): Files {
  const read = READ_FILES.map(name => [name, textAt(join(project, name), { limit: LIMITS.small })] as const)
  const seen = PRESENCE_FILES.map(name => [name, isFile(join(project, name)) ? '' : null] as const)
  return Object.fromEntries(
    [...read, ...seen].filter((entry): entry is [string, string] => entry[1] !== null),
  )
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}
