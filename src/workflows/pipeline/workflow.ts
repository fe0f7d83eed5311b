import { plural } from '../../core/format.ts'
import { readPins } from '../spec.ts'
import type { Workflow } from '../workflow.ts'
import { openPipeline } from './active.ts'
import { historyLines, historyOf } from './rules/history.ts'
import { type PipelineSpec, pinnedTask, pipelineSchema } from './spec.ts'
import { pipeline } from './table.ts'
import { TASKS_DIR } from './tasks/store.ts'

/** `ralph pipeline`: tasks through coder, reviewer, tester and qa. A promise counts once it is verified. */
export const pipelineWorkflow: Workflow<PipelineSpec> = {
  name: 'pipeline',
  command: 'pipeline',
  listed: true,
  readSpec: pins => readPins(pipelineSchema, pins),
  pins: spec => ({ ...spec, tasks: spec.tasks.map(pinnedTask) }),
  table: ({ roles, settings }) =>
    pipeline({
      roles: roles.map(({ name }) => name),
      tries: Object.fromEntries(roles.map(({ name, tries }) => [name, tries])),
      rounds: settings.pipeline.rounds,
    }),
  describe: ({ tasks, roles }) => ({
    subject: [
      'tasks',
      tasks.length === 1 ? `${tasks[0]!.id} ${tasks[0]!.title}` : plural(tasks.length, 'task'),
    ],
    doneWhen: `every task has passed ${roles.map(({ name }) => name).join(' → ')}`,
    condition: 'the tasks',
    estimate: `at least ${plural(tasks.length * roles.length, 'iteration')}`,
  }),
  preview: ({ tasks }) => tasks.map(({ id, title }) => `${id} ${title}`).join('\n'),
  about: ({ tasks }) => ({ tasks: tasks.map(({ id }) => id) }),
  protectedAreas: ({ project }) => [{ root: project, globs: [`${TASKS_DIR}/**`] }],
  details: events => {
    const histories = historyOf(events)
    return { data: histories, lines: historyLines(histories) }
  },
  open: openPipeline,
}
