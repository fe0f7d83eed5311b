import { relative } from 'node:path'
import { OWN_DEPTH, parseJson } from '../core/json.ts'
import type { Check } from '../core/ports.ts'
import { LIMITS, readRegularFile } from '../store/files/read.ts'
import { type ConfigEntry, type ConfigTool, configReader, restoreEntries } from './git-config.ts'
import { readGlob } from './glob.ts'
import { requireKeepable, restoreSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts'

/** Files that an agent must not change. A change is put back, and counts as a failed check. */
export interface Protection {
  /** Call it before an agent starts: everything that changed until now was allowed. */
  take(): Promise<void>
  /** Call it after the agent has ended, and after a crash: puts back what changed, and returns what that was. */
  restore(): Promise<string[]>
  /** The failed check of the last iteration; empty if nothing was changed. */
  checks(): Check[]
}

/** `violated` is saved too: a signal between the agent's end and its checks must not lose the failed check. */
type State = { files: Snapshot; config: ConfigEntry[] | null; violated: string[] }

export type ProtectionOptions = {
  project: string
  areas: { root: string; globs: string[] }[]
  /** git's own configuration file, and the tool to read and write it. */
  config: { path: string; tool: ConfigTool } | null
  /** Where the state is saved in case of a crash, and how to write it. */
  path: string
  write(path: string, text: string): void
}

export function protection({ project, config, path, write, ...options }: ProtectionOptions): Protection {
  const areas = options.areas.map(({ root, globs }) => ({ root, globs: globs.map(readGlob) }))
  let state: State | null = null
  let violated = load(path)?.violated ?? []
  const readConfig = config ? configReader(config.path, config.tool) : async () => null

  const save = (now: State) => write(path, JSON.stringify(now))

  return {
    async take() {
      const before = state
      const files = takeSnapshot(areas, before?.files ?? {})
      if (files !== before?.files) requireKeepable(files)
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

const isSame = (a: ConfigEntry[] | null, b: ConfigEntry[] | null) =>
  a === b || JSON.stringify(a) === JSON.stringify(b)

function load(path: string): State | null {
  try {
    return parseJson(readRegularFile(path, { limit: LIMITS.own }).toString(), OWN_DEPTH) as State
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
