import { readdirSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { listPaths } from '../core/format.ts'
import { CannotGoOn } from '../core/ports.ts'
import { COMMIT, type StepId } from '../core/table.ts'
import { UsageError } from '../core/usage-error.ts'
import { quote } from '../core/visible.ts'
import { type Head, restoreEntries } from '../git/commit/restore-entries.ts'
import { git } from '../git/git.ts'
import { readHead } from '../git/head.ts'
import type { LockWait } from '../git/locks/lasting.ts'
import type { Start } from '../git/start.ts'
import { guardFiles } from '../protect/file-guard.ts'
import { surveyPatterns } from '../protect/find-files.ts'
import { commonArea, moreGitAreas, workTreeAreas } from '../protect/git-areas.ts'
import type { ConfigTool } from '../protect/git-config.ts'
import { innerRepositories, type ListIndex } from '../protect/inner-repositories.ts'
import { type Protection, protection, type SharedFiles, shareFiles } from '../protect/protection.ts'
import { setAside } from '../protect/set-aside.ts'
import { MAX_FILES } from '../protect/snapshot.ts'
import { replaceFile } from '../store/files/atomic.ts'
import type { RunSpec } from '../workflows/spec.ts'
import type { ProtectedArea, Recorder } from '../workflows/workflow.ts'
import type { WorkspaceOptions } from './workspace.ts'

/** Always protected: the rules of later runs and the specification. */
const ALWAYS = ['.ralph/settings*', 'ralph/prd.md']

type ProtectionSpec = Pick<RunSpec, 'project' | 'settings' | 'start'>

const write = (path: string, text: string) => replaceFile(path, text, 0o600)

/** Where a run keeps what a restore replaced or removed. */
const asideIn = (project: string, runDir: string) => setAside(project, join(runDir, 'put-back'))

const configTool =
  (project: string, env: Record<string, string>): ConfigTool =>
  (args, input) =>
    git(project, env, ['config', ...args], input)

/** Names both folders, so that git looks for no other. */
const indexLister =
  (env: Record<string, string>): ListIndex =>
  (workTree, gitDir) =>
    git(workTree, { ...env, GIT_DIR: gitDir, GIT_WORK_TREE: workTree }, ['ls-files', '--stage', '-z'])

/**
 * Protects git's common folder once for all workspaces of a run that work in the same repository, and gives each of them
 * its share. Null outside git.
 */
export function guardGit(
  project: string,
  runDir: string,
  env: Record<string, string>,
): (start: Start | null) => SharedFiles | null {
  const guards = new Map<string, () => SharedFiles>()
  const tool = configTool(project, env)
  const guard = (start: Start) =>
    shareFiles(
      guardFiles({
        project,
        areas: [commonArea(start)],
        moreAreas: () => moreGitAreas(start, tool),
        tool,
        aside: asideIn(project, runDir),
        path: join(runDir, guards.size === 0 ? 'protected-git.json' : `protected-git-${guards.size}.json`),
        write,
      }),
    )
  return start => {
    if (!start) return null
    const { common } = start.dirs
    const share = guards.get(common) ?? guard(start)
    guards.set(common, share)
    return share()
  }
}

export type ComposeProtectionOptions = {
  spec: ProtectionSpec
  more: ProtectedArea[]
  /** The name of the file in the run's folder that keeps the state. */
  name: string
  runDir: string
  env: Record<string, string>
  shared: SharedFiles | null
}

/** The protection of one workspace. */
export function composeProtection(options: ComposeProtectionOptions): Protection {
  const { spec, more, name, runDir, env, shared } = options
  const { project, settings, start } = spec
  const own = guardFiles({
    project,
    areas: [
      { root: project, globs: [...ALWAYS, ...settings.protect] },
      ...more,
      ...(start ? workTreeAreas(start) : []),
    ],
    ...(start && { innerRepositories: innerRepositories(start, indexLister(env)) }),
    tool: configTool(project, env),
    aside: asideIn(project, runDir),
    path: join(runDir, name),
    write,
  })
  return protection(own, shared)
}

/** A run that goes on in another folder takes its protected files as they are there. */
export function forgetProtected(runDir: string): void {
  for (const name of readdirSync(runDir).filter(name => /^protected.*\.json$/.test(name)))
    rmSync(join(runDir, name))
}

/** Warnings about the patterns of `protect`, before the first iteration. Throws a UsageError if they cannot be kept. */
export function protectNotes(project: string, patterns: readonly string[]): string[] {
  const { unmatched, files, closed } = survey(project, patterns)
  if (files > MAX_FILES)
    throw new UsageError(
      `the patterns in "protect" match ${files} files, and at most ${MAX_FILES} can be protected; narrow them`,
    )
  if (closed !== null)
    throw new UsageError(
      `${join(project, closed)} cannot be read, and a pattern in "protect" may match files in it; fix its permissions or narrow the pattern`,
    )
  return unmatched.map(
    pattern => `${quote(pattern)} matches no file; correct it, or keep it if agents must not add such files`,
  )
}

function survey(project: string, patterns: readonly string[]): ReturnType<typeof surveyPatterns> {
  try {
    return surveyPatterns(project, patterns)
  } catch (error) {
    if (error instanceof CannotGoOn) throw new UsageError(error.message)
    throw error
  }
}

/** Protected paths, relative to the root of the repository, and HEAD before the agent that changed them. */
type Owed = { before: Head; paths: ReadonlySet<string> }

/** An agent may have committed its change of a protected file: what is put back in the tree is put back in HEAD too. */
export function keepInHead(
  { spec: { project, start }, env, runDir, commitBefore }: WorkspaceOptions,
  lockWait: () => LockWait,
) {
  let before: Head = { commit: commitBefore ?? start?.head ?? null, branch: start?.branch ?? null }
  /** What could not be committed is tried again after the next step. */
  let owed: Owed[] = []
  return {
    /** Before an agent starts. */
    begin(): void {
      before = (start && readHead(start.dirs)) ?? before
    },
    /** After a step. `paths` were put back during it. Safe to repeat. */
    async restore(paths: readonly string[], id: StepId, record: Recorder): Promise<void> {
      if (!start || paths.length + owed.length === 0) return
      const inRoot = new Set(paths.map(path => relative(start.root, resolve(project, path))))
      const tried = [...owed, { before, paths: inRoot }]
      owed = []
      for (const one of tried) {
        const repository = { start, env, scratch: runDir, locks: lockWait() }
        const done = await restoreEntries(repository, one.before, one.paths)
        const at = Date.now()
        if (done.type === 'made')
          record({ type: 'committed', at, id, by: 'ralph', from: done.from, to: done.to })
        if (done.type !== 'failed') continue
        owed.push(one)
        const why = `protected files are put back, but HEAD has them as they were committed meanwhile: ${listPaths(done.paths)} (${done.why})`
        record({ type: 'warned', at, note: why })
        record({ type: 'doubted', at, id, check: COMMIT, why })
      }
      if (owed.length === 0 && tried.length > 1)
        record({ type: 'doubted', at: Date.now(), id, check: COMMIT, why: null })
    },
  }
}
