import { findCycle } from '../../../core/task.ts'
import type { TaskProblem } from './read-task.ts'
import type { PipelineTask } from './task.ts'

/**
 * What is wrong with new tasks beside those that are there: an id that is taken, a dependency that does not exist, a
 * cycle. Paths begin with the index of the new task.
 */
export function checkNewTasks(fresh: readonly PipelineTask[], known: readonly PipelineTask[]): TaskProblem[] {
  const all = new Set([...known, ...fresh].map(({ id }) => id))
  // By lower case: on some systems two names that differ only in case are one file.
  const taken = new Map(known.map(({ id }) => [id.toLowerCase(), id]))
  const problems: TaskProblem[] = []
  for (const [index, { id, dependencies }] of fresh.entries()) {
    const other = taken.get(id.toLowerCase())
    if (other !== undefined)
      problems.push({ path: [index, 'id'], problem: `is taken: there is a task ${other} already` })
    else taken.set(id.toLowerCase(), id)
    for (const [place, dependency] of dependencies.entries())
      if (!all.has(dependency))
        problems.push({
          path: [index, 'dependencies', place],
          problem: `is ${dependency}, which does not exist`,
        })
  }
  if (problems.length > 0) return problems
  const cycle = findCycle(
    [...known, ...fresh].map(({ id, title, dependencies }) => ({ id, title, blockedBy: dependencies })),
  )
  if (cycle === null) return []
  const index = fresh.findIndex(({ id }) => cycle.includes(id))
  return [{ path: [index, 'dependencies'], problem: `would make a cycle: ${cycle.join(' → ')}` }]
}
