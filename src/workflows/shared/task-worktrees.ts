import { basename } from 'node:path'
import { firstLine, plural } from '../../core/format.ts'
import type { Check, CheckedWork, Work } from '../../core/ports.ts'
import { type RunState, taskStateOf } from '../../core/table.ts'
import type { Task } from '../../core/task.ts'
import type { Criterion } from '../../core/verification/method.ts'
import type { Active, Context } from '../workflow.ts'
import { isMerging, RESOLVE } from './merging.ts'
import { conflictCheck } from './resolve.ts'

type TaskWorktrees = Pick<Active, 'chooseWorkspace' | 'act' | 'complete'> & {
  /** The checks of the stages that merge. Null for any other stage. */
  checks(work: CheckedWork): Check[] | null
}

/**
 * What a workflow does whose tasks may have worktrees. `ownerOf` gives the task in whose worktree a task is worked on.
 * Null means the project. `criteria` are what must hold after a task was merged, in addition to the guardrails.
 */
export function taskWorktrees(
  context: Context,
  ownerOf: (task: Task) => Pick<Task, 'id'> | null,
  criteria: (task: Task) => readonly Criterion[] = () => [],
): TaskWorktrees {
  const { spec, table, run } = context
  if (!spec.worktrees) return { checks: () => null }
  /** What a squashed or merged task says in git. */
  function messageOf(task: Task): string {
    const steps = context.journal().filter(e => e.type === 'settled' && e.task === task.id)
    const iterations = steps.filter(e => e.type === 'settled' && e.patch.n !== undefined).length
    const proof = taskStateOf(table, run().state, task).proof ? 'verified' : 'claimed'
    const receipt = `${task.id}, ${plural(iterations, 'iteration')}, ${proof}, ralph run ${basename(context.runDir)}`
    return `${firstLine(task.title) || task.id}\n\n${receipt}\n`
  }
  return {
    chooseWorkspace(task) {
      const owner = ownerOf(task)
      return owner === null ? undefined : context.worktrees().open(owner)
    },
    act: (work: Work) => context.worktrees().merge(work, messageOf(work.task)),
    complete: (work: Work) => context.worktrees().land(work),
    checks({ stage, task, step, workspace }) {
      if (!step || !isMerging(stage)) return null
      const own = run().state.workspaces[step.workspace ?? '']
      const conflict = stage === RESOLVE && own ? [conflictCheck(own)] : []
      return [...conflict, ...workspace.checks(), ...workspace.verify(criteria(task))]
    },
  }
}

/** The worktrees that are kept because something in them is not merged, a line each. */
export const keptWorktrees = ({ workspaces }: Pick<RunState, 'workspaces'>): string[] =>
  Object.values(workspaces).map(({ task, dir, branch, merged }) =>
    merged ? `${task} is merged, but ${dir} is kept` : `${task} is not merged: branch ${branch}, in ${dir}`,
  )
