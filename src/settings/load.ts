import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../core/usage-error.ts'
import { hiddenIn, quote } from '../core/visible.ts'
import { type DeepPartial, merge } from './merge.ts'
import { findProblems } from './problems.ts'
import { readJson } from './read.ts'
import { resolveSettings, type Settings } from './schema.ts'
import { splitWords } from './words.ts'

const FILES = ['.ralph/settings.json', '.ralph/settings.local.json'] as const

/** The user's own settings for all projects, in ralph's home. */
const MACHINE = 'settings.json'

/** What the command line overrides, in the shape of the settings. */
export type Flags = DeepPartial<Settings>

export type Loaded = {
  settings: Settings
  /** The files that exist: that of the machine by its whole path, those of the project relative to it. */
  sources: string[]
  /** The project's merged files, without the machine's and the command line: the part that someone else may have written. */
  fromFiles: unknown
}

/**
 * The machine's settings.json < the project's settings.json < settings.local.json < flags. `home` is ralph's own folder,
 * or null for the project alone. Throws a UsageError with the first problem and the number of others.
 */
export function loadSettings(projectDir: string, flags: Flags = {}, home: string | null = null): Loaded {
  const ofMachine = home === null || !isFolder(home) ? [] : read(home, MACHINE, join(home, MACHINE))
  const files = FILES.flatMap(file => read(projectDir, file, file))
  refuse(
    [...ofMachine, ...files, { source: 'command line', raw: flags }].flatMap(({ source, raw }) =>
      findProblems(raw, source),
    ),
  )
  const fromFiles = merged(files)
  return {
    settings: resolveSettings(merge(merge(merged(ofMachine), fromFiles), flags)),
    sources: [...ofMachine, ...files].map(f => f.source),
    fromFiles,
  }
}

/** Anything else in its place is reported where the folder is needed. */
const isFolder = (path: string): boolean =>
  existsSync(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

type Source = { source: string; raw: unknown }

/** The settings in a file, none if it does not exist. */
function read(folder: string, file: string, source: string): Source[] {
  const raw = readJson(folder, file, source)
  return raw === undefined ? [] : [{ source, raw }]
}

const merged = (files: readonly Source[]): unknown =>
  files.reduce<unknown>((all, { raw }) => merge(all, raw), {})

/** The settings with the checks of `--check`. One that is a guardrail already keeps that guardrail's options. */
export function withChecks(settings: Settings, checks: readonly string[]): Settings {
  for (const check of checks) {
    if (check.trim() === '')
      throw new UsageError('--check is empty; give a command, such as --check "npm test"')
    const hidden = hiddenIn(check)
    if (hidden !== null) throw new UsageError(`--check must be text without invisible characters (${hidden})`)
  }
  const known = settings.guardrails.flatMap(given => (given.verify === undefined ? [given.command] : []))
  const added = [...new Set(checks)].filter(check => !known.includes(check))
  const { guardrails } = resolveSettings({ guardrails: added.map(command => ({ command })) })
  return { ...settings, guardrails: [...settings.guardrails, ...guardrails] }
}

/** The words of `agent.flags`: each entry is split as a shell would split it. */
export function resolveFlags(flags: readonly string[]): string[] {
  return flags.flatMap(entry => {
    const words = splitWords(entry)
    if (words === null) throw new UsageError(`unbalanced quote in the agent's flags: ${quote(entry)}`)
    return words
  })
}

function refuse([first, ...others]: string[]): void {
  if (first === undefined) return
  if (others.length === 0) throw new UsageError(first)
  throw new UsageError(`${first} (and ${others.length} more problem${others.length === 1 ? '' : 's'})`)
}
