import type { RunCommand } from '../../../runners/run-command.ts'
import type { Missing } from '../../../runners/sandbox/programs.ts'
import type { Loaded } from '../../../settings/load.ts'
import type { Settings } from '../../../settings/schema.ts'

/** Everything that the findings depend on. */
export type World = {
  env: NodeJS.ProcessEnv
  /** The project, by its real path. */
  cwd: string
  run: RunCommand
  /** `cgroup`: the control groups of this process. Null if there are none. */
  machine: { node: string; platform: string; arch: string; cgroup: string | null }
  /** What keeps srt from working here. */
  checkSrt(): Promise<Missing[]>
  isRoot: boolean
}

/** The world, and what the settings of the project say. */
export type Setup = World & {
  home: string
  read: { type: 'read'; loaded: Loaded } | { type: 'invalid'; error: string }
  /** Null if they are not valid. */
  settings: Settings | null
  rules: Settings['env']
}

/** `none`: missing, but nothing is wrong with that. */
type Mark = 'yes' | 'no' | 'none'

/** `fix`: how to get what is missing, or correct what is wrong. */
export type DoctorRow = { mark: Mark; name: string; value: string; fix?: string | null }

export const row = (mark: Mark, name: string, value: string, fix?: string | null): DoctorRow => ({
  mark,
  name,
  value,
  fix,
})

/** What doctor found out about one matter. */
export type Found<Fact> = {
  /** For `--json`. */
  fact: Fact
  rows: DoctorRow[]
  /** Why ralph cannot run here. */
  obstacle?: string | null
}

export const found = <Fact>(fact: Fact, ...rows: DoctorRow[]): Found<Fact> => ({ fact, rows })

/** Something that keeps ralph from running here. */
export const blocked = <Fact>(fact: Fact, name: string, why: string): Found<Fact> => ({
  ...found(fact, row('no', name, why)),
  obstacle: why,
})
