import { resolve } from 'node:path'
import { CannotGoOn } from '../../core/ports.ts'
import type { RunState } from '../../core/table.ts'
import { recordStart } from '../../git/start.ts'
import { kindAt } from '../../store/files/inside.ts'
import { type RunSpec, readStart } from '../../workflows/spec.ts'
import { guardGit } from '../protection.ts'
import { type HostedWorkspace, openWorkspace, type WorkspaceOptions } from '../workspace.ts'

export type Workspaces = {
  project: HostedWorkspace
  of(name: string | undefined): Promise<HostedWorkspace>
  /** Forgets an opened folder, because its branch moved or it was removed: the next `of` opens it again. */
  forget(name: string): void
}

/** The workspaces of a run by name: a path relative to the project, undefined for the project itself. */
export function openWorkspaces(
  options: Omit<WorkspaceOptions, 'protectedName' | 'shareGit'> & { state(): RunState },
): Workspaces {
  const { spec, env, state } = options
  const shareGit = guardGit(spec.project, options.runDir, env)
  const project = openWorkspace({ ...options, shareGit, protectedName: 'protected.json' })
  const others = new Map<string, Promise<HostedWorkspace>>()
  const open = async (name: string) => {
    const dir = resolve(spec.project, name)
    if (kindAt(dir) !== 'folder') throw new CannotGoOn(`the workspace ${dir} is gone`)
    const own = state().workspaces[name]
    const pinned = own?.start && readStart(own.start)
    return openWorkspace({
      ...options,
      spec: {
        ...spec,
        settings: own ? { ...spec.settings, scm: onlyCommits(spec.settings.scm) } : spec.settings,
        project: dir,
        // What the task did comes after the commit that its branch is based on now.
        start: own && pinned ? { ...pinned, head: own.base } : await recordStart(dir, env),
      },
      shareGit,
      protectedName: `protected-${encodeURIComponent(name)}.json`,
      lastCommit: own?.tip ?? null,
      commitBefore: own?.base ?? null,
      isFresh: own?.tip === undefined && options.isFresh,
    })
  }
  return {
    project,
    async of(name) {
      if (name === undefined) return project
      const opened = others.get(name) ?? open(name)
      others.set(name, opened)
      return opened
    },
    forget: name => void others.delete(name),
  }
}

/** The branch of a task is not pushed: the one that it is merged into is. */
const onlyCommits = (scm: RunSpec['settings']['scm']): RunSpec['settings']['scm'] =>
  scm && { ...scm, tasks: scm.tasks.filter(task => /^commit\b/.test(task)) }
