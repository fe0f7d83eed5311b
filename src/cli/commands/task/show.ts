import { plainLine } from '../../../view/text/plain.ts'
import { table } from '../../../view/text/table.ts'
import type { PipelineTask } from '../../../workflows/pipeline/tasks/task.ts'

/** One line for each task, in columns. */
export function listLines(tasks: readonly PipelineTask[]): string[] {
  return table(
    tasks.map(({ id, status, spec_id, title, dependencies }) => [
      id,
      status,
      spec_id,
      plainLine(title) + (dependencies.length > 0 ? ` › after ${dependencies.join(', ')}` : ''),
    ]),
  )
}

/** A task in full: what "done" means, and how each role's promise is verified. */
export function taskLines(task: PipelineTask): string[] {
  const { completion_spec: spec } = task
  const rows = [
    ['spec', task.spec_id],
    ['status', task.status],
    ['priority', String(task.priority)],
    ['after', task.dependencies.join(', ')],
    ['assignee', task.assignee],
    ['iterations', task.iteration > 0 ? String(task.iteration) : ''],
    ['changed', task.updated_at],
  ].filter(([, value]) => value !== '')
  return [
    `${task.id} ${plainLine(task.title)}`,
    ...table(
      rows.map(([name, value]) => [name!, plainLine(value!)]),
      { margin: '  ', least: [9] },
    ),
    ...(task.description === '' ? [] : ['', task.description.trimEnd()]),
    '',
    ...(spec
      ? [
          `Outcome: ${spec.outcome}`,
          ...spec.acceptance_criteria.map(criterion => `- [ ] ${criterion}`),
          ...Object.entries(spec.roles).flatMap(([role, criteria]) => [
            '',
            `${role}: ${criteria.description}`,
            `  promise    ${criteria.promise}`,
            `  verified   ${criteria.verification_method}`,
            ...configLines(criteria.verification_config),
            ...(criteria.max_iterations === null ? [] : [`  limit      ${criteria.max_iterations}`]),
          ]),
        ]
      : ['It has no completion spec: nobody has said what "done" means.']),
  ]
}

const configLines = (config: Record<string, unknown>): string[] =>
  Object.keys(config).length === 0
    ? []
    : JSON.stringify(config, null, 2)
        .split('\n')
        .slice(1, -1)
        .map(line => `             ${line.slice(2)}`)
