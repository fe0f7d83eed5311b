import type { Files } from './propose.ts'
import { hasSection } from './toml.ts'

/** Runners by their lock files. They know the environment in which the tools are installed. */
const RUNNERS: readonly (readonly [file: string, runner: string])[] = [
  ['uv.lock', 'uv run '],
  ['poetry.lock', 'poetry run '],
]

export const RUNNER_FILES = RUNNERS.map(([file]) => file)

/** The tools that a pyproject.toml configures or depends on; any project is assumed to have tests. */
export function findPythonTools(text: string, files: Files): string[] {
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
