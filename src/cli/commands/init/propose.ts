import { findScripts, LOCK_FILES } from './package-scripts.ts'
import { findPythonTools, RUNNER_FILES } from './python-tools.ts'
import { findRecipes, findTargets } from './targets.ts'
import { hasSection } from './toml.ts'

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

const CLIPPY_FILES = ['clippy.toml', '.clippy.toml']

/** The files whose text `propose` reads, and those whose presence is enough. */
export const READ_FILES = SOURCES.flatMap(source => source.names)
export const PRESENCE_FILES = [...LOCK_FILES, ...RUNNER_FILES, ...CLIPPY_FILES]

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
