import type { RunEvent } from '../../core/events.ts'
import { fold } from '../../core/evolve.ts'
import { plural } from '../../core/format.ts'
import { taskStateOf } from '../../core/table.ts'
import { type Task, unmet } from '../../core/task.ts'
import { notesIn } from '../shared/notes.ts'
import { keptWorktrees } from '../shared/task-worktrees.ts'
import { readPins } from '../spec.ts'
import type { Workflow } from '../workflow.ts'
import { openPipeline } from './active.ts'
import { criteriaFor } from './criteria.ts'
import { historyLines, historyOf, type TaskStanding } from './rules/history.ts'
import { type PipelineSpec, pinnedTask, pipelineNotes, pipelineSchema } from './spec.ts'
import { mayWrite, pipelineTable } from './table.ts'
import { reopenTasks } from './task-files.ts'
import { TASKS_DIR } from './tasks/store.ts'

/** `ralph pipeline`: tasks through coder, reviewer, tester and qa. A promise counts once it is verified. */
export const pipelineWorkflow: Workflow<PipelineSpec> = {
  name: 'pipeline',
  command: 'pipeline',
  listed: true,
  readSpec: pins => readPins(pipelineSchema, pins),
  pins: spec => ({ ...spec, tasks: spec.tasks.map(pinnedTask) }),
  table: ({ roles, settings, worktrees = false }) =>
    pipelineTable({
      parallel: settings.parallel,
      isOnBranches: worktrees,
      roles: roles.map(({ name }) => name),
      tries: Object.fromEntries(roles.map(({ name, tries }) => [name, tries])),
      rounds: settings.pipeline.rounds,
      readers: roles.filter(role => !mayWrite(role)).map(({ name }) => name),
    }),
  describe: ({ tasks, roles }) => ({
    subject: [
      'tasks',
      tasks.length === 1 ? `${tasks[0]!.id} ${tasks[0]!.title}` : plural(tasks.length, 'task'),
    ],
    doneWhen: `every task has passed ${roles.map(({ name }) => name).join(' → ')}`,
    condition: 'the tasks',
    estimate: `at least ${plural(tasks.length * roles.length, 'iteration')}`,
    verifiedBy: 'none of the project; the promise of each role is verified as its task says',
  }),
  preview: ({ tasks }) => tasks.map(({ id, title }) => `${id} ${title}`).join('\n'),
  about: ({ tasks }) => ({ tasks: tasks.map(({ id }) => id) }),
  criteria: (spec, { id }) => {
    const task = spec.tasks.find(one => one.id === id)
    if (!task) return []
    const { outcome = '', acceptance_criteria = [] } = task.completion_spec ?? {}
    return [
      ...(outcome === '' ? [] : [outcome]),
      ...acceptance_criteria.map(criterion => `- ${criterion}`),
      ...spec.roles.map(role => {
        const { promise, method } = criteriaFor(task, role, spec)
        return `${role.name} promises ${promise}, verified by ${method}`
      }),
    ]
  },
  protectedAreas: ({ project }) => [{ root: project, globs: [`${TASKS_DIR}/**`] }],
  details: events => {
    const histories = historyOf(events)
    return { data: histories, lines: historyLines(standingsOf(events), histories) }
  },
  summary: (_spec, { state }) => keptWorktrees(state),
  followUps(events) {
    const notes = notesIn(pipelineNotes, events)
    return fold(events).tasks.flatMap(({ id }) =>
      (notes.get('followUps', id) ?? []).map(text => ({ task: id, text })),
    )
  },
  onUndone: reopenTasks,
  open: openPipeline,
}

/** Where each task of a run is. */
function standingsOf(events: readonly RunEvent[]): TaskStanding[] {
  const { tasks, state } = fold(events)
  const [began] = events
  if (began?.type !== 'began') return []
  const table = pipelineWorkflow.table(pipelineWorkflow.readSpec(began.pins))
  const stateOf = (task: Task) => taskStateOf(table, state, task)
  const isDone = (id: string) => tasks.some(task => task.id === id && stateOf(task).stage === 'done')
  return tasks.map(task => {
    const now = stateOf(task)
    const tries = task.tries?.[now.stage] ?? table.stages[now.stage]?.tries ?? 0
    return { id: task.id, title: task.title, state: now, tries, waitsFor: unmet(task, isDone) }
  })
}
