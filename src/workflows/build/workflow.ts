import { join } from 'node:path'
import { jsonIn } from '../../core/json.ts'
import { readTodo } from '../../core/todo.ts'
import { sessionDir } from '../../store/session.ts'
import { taskSummary } from '../../view/task-list.ts'
import { keptWorktrees } from '../shared/task-worktrees.ts'
import { readPins, subjectLine } from '../spec.ts'
import type { Workflow } from '../workflow.ts'
import { openBuild } from './active.ts'
import { PLAN } from './rules/check-list.ts'
import { detailOf, taskDetailLines } from './rules/planned.ts'
import { type BuildSpec, buildSchema } from './spec.ts'
import { buildTable } from './table.ts'

/** `ralph build`: make a list from a goal, then do each task of it. */
export const buildWorkflow: Workflow<BuildSpec> = {
  name: 'build',
  command: 'build',
  listed: true,
  readSpec: pins => readPins(buildSchema, pins),
  // The first event already has the tasks of a given list.
  pins: spec => ({ ...spec, list: null }),
  table: ({ settings, worktrees = false }) =>
    buildTable({ bugs: settings.maxBugFixes, parallel: settings.parallel, isOnBranches: worktrees }),
  describe: ({ goal, planOnly }, _limits, run) => ({
    subject: [goal.type, goal.type === 'goal' ? subjectLine(goal.text) : goal.path],
    // With --plan-only the run ends with the plan; resuming it later works on the list.
    doneWhen:
      planOnly && !run?.tasks.some(({ id }) => id !== PLAN) ? 'the list is made' : 'every task is completed',
    condition: 'the list',
    estimate: null,
  }),
  preview: ({ list, goal }) => (list ? taskSummary(list.items).join('\n') : goal.text),
  about: ({ goal }) => ({ goal }),
  criteria: (_spec, task) => taskDetailLines(detailOf(task)),
  listFile: ({ project, sessions = project }, id) => ({
    path: join(sessionDir(sessions, id), 'tasks.json'),
    read(text) {
      const read = readTodo(jsonIn(text))
      return 'items' in read ? read.items : null
    },
  }),
  protectedAreas: () => [],
  answerCommand: id => `ralph build --resume ${id} "your answer"`,
  summary: (_spec, { state }) => keptWorktrees(state),
  open: openBuild,
}
