import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Check } from '../core/ports.ts'
import { type ConfigTool, configReader, type Entry, restoreEntries } from './git-config.ts'
import { readGlob } from './match.ts'
import { restoreSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts'

/** What an agent must not change. It can, of course; then it is put back, and counts as a failed check. */
export interface Protection {
  /** Before an agent starts: whoever changed something until now was allowed to. */
  take(): Promise<void>
  /** After it is gone, and after a crash: puts back what changed meanwhile, and says what that was. */
  restore(): Promise<string[]>
  /** The failed check of the last iteration; none if all was well. */
  checks(): Check[]
}

/** `violated` is kept, too: a failed check must not be lost to a signal between the agent's end and its checks. */
type State = { files: Snapshot; config: Entry[] | null; violated: string[] }

export type Keeping = {
  project: string
  areas: { root: string; globs: string[] }[]
  /** git's own configuration file, and the tool to read and write it. */
  config: { path: string; tool: ConfigTool } | null
  /** Where the state is kept in case of a crash, and how. */
  path: string
  write(path: string, text: string): void
}

export function protection({ project, config, path, write, ...keeping }: Keeping): Protection {
  const areas = keeping.areas.map(({ root, globs }) => ({ root, globs: globs.map(readGlob) }))
  let state: State | null = null
  let violated = load(path)?.violated ?? []
  const readConfig = config ? configReader(config.path, config.tool) : async () => null

  const save = (now: State) => write(path, JSON.stringify(now))

  return {
    async take() {
      const before = state
      const files = takeSnapshot(areas, before?.files ?? {})
      state = { files, config: await readConfig(), violated: [] }
      const isSaved = before && files === before.files && isSame(state.config, before.config)
      if (!isSaved || violated.length > 0) save(state)
      violated = []
    },
    async restore() {
      state ??= load(path)
      if (!state) return []
      const found = restoreSnapshot(areas, state.files).map(file => relative(project, file))
      const now = await readConfig()
      if (config && state.config && now) {
        const keys = await restoreEntries(config.tool, state.config, now)
        found.push(...keys.map(key => `.git/config ${key}`))
      }
      if (found.length === 0) return []
      violated = [...new Set([...violated, ...found])]
      save({ ...state, violated })
      return found
    },
    checks: () => (violated.length === 0 ? [] : [violation(violated)]),
  }
}

const isSame = (a: Entry[] | null, b: Entry[] | null) => a === b || JSON.stringify(a) === JSON.stringify(b)

function load(path: string): State | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

const violation = (paths: string[]): Check => ({
  name: 'protect',
  run: async () => ({
    finding: {
      check: 'protect',
      verdict: 'fail',
      note: `Protected files were changed and have been put back: ${paths.join(', ')}. Leave them as they are.`,
      action: 'APPEND',
    },
    exit: null,
  }),
})
