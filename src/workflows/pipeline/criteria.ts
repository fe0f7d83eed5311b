import { type Criterion, METHODS, type Verification } from '../../core/verification/method.ts'
import { readVerification } from '../../settings/verification.ts'
import { checkNames } from '../spec.ts'
import type { PipelineRole, PipelineSpec } from './spec.ts'
import {
  type CompletionCriteria,
  defaultDescription,
  defaultPromise,
  type PipelineTask,
} from './tasks/task.ts'

/** What a role has to do to finish a task, and how that is verified. */
export type RoleCriteria = {
  promise: string
  description: string
  verification: Verification
  /** In words, for the prompt. */
  method: string
}

/**
 * The criteria of a role: those of the task, else its defaults. A coder and a tester are verified by their check, else
 * by the guardrails, else by a judge; a reviewer by a judge; qa by both.
 */
export function criteriaFor(task: PipelineTask, role: PipelineRole, spec: PipelineSpec): RoleCriteria {
  const given = task.completion_spec?.roles[role.name]
  if (given) return fromTask(given, task)
  const promise = defaultPromise(role.name)
  const verification = defaultVerification(task, role, promise, checkNames(spec.settings).length > 0)
  return {
    promise,
    description: defaultDescription(role.name, task.title),
    verification,
    method: verification.method,
  }
}

function fromTask(given: CompletionCriteria, task: PipelineTask): RoleCriteria {
  const { promise, description, verification_method: method, verification_config } = given
  const acceptance = task.completion_spec?.acceptance_criteria ?? []
  const read = readVerification(method, verification_config, { promise, acceptance })
  if ('problems' in read) throw new Error(`${task.id}: ${read.problems[0]!.problem}`)
  return { promise, description, verification: read.verification, method }
}

function defaultVerification(
  task: PipelineTask,
  { name, check }: PipelineRole,
  promise: string,
  hasGuardrails: boolean,
): Verification {
  const match = { method: 'string_match', promise } as const
  // Nobody has said what "done" means.
  if (!task.completion_spec) return match
  const { acceptance_criteria: check_for } = task.completion_spec
  const semantic = {
    method: 'semantic',
    config: { check_for, negative_patterns: [], in: 'text', model: null },
  } as const
  const external = check === null ? null : externalOf(check)
  // The guardrails run anyway, and are the proof.
  const commands = external ?? (hasGuardrails ? match : null)
  if (name === 'coder' || name === 'tester') return commands ?? semantic
  if (name !== 'qa' || commands === null) return semantic
  const stage = { required: true, parallel: false }
  return {
    method: METHODS[3],
    config: {
      require_all: true,
      stages: [
        { ...stage, name: 'checks', verification: commands },
        { ...stage, name: 'acceptance_criteria', verification: semantic },
      ],
    },
  }
}

const externalOf = (command: string) =>
  ({
    method: 'external',
    config: { command, success_exit_code: 0, timeout: 300, working_dir: '.' },
  }) as const

/** The commands that verify a task at any of its stages: what must still hold once it is merged. */
export function externalCriteria(task: PipelineTask, spec: PipelineSpec): Criterion[] {
  const found = spec.roles.flatMap(role => externalsIn(criteriaFor(task, role, spec).verification))
  const known = new Set<string>()
  return found.filter(({ verification }) => {
    const text = JSON.stringify(verification)
    const isNew = !known.has(text)
    known.add(text)
    return isNew
  })
}

function externalsIn(verification: Verification): Criterion[] {
  switch (verification.method) {
    case 'external':
      return [{ name: verification.config.command, verification }]
    case 'multi_stage':
      return verification.config.stages
        .filter(({ required }) => required)
        .flatMap(stage => externalsIn(stage.verification))
    default:
      return []
  }
}

/** The negative patterns of a verification, which the agent should know. */
export function patternsOf(verification: Verification): { pattern: string; in: 'text' | 'diff' }[] {
  switch (verification.method) {
    case 'semantic': {
      const { negative_patterns, in: where } = verification.config
      return negative_patterns.map(pattern => ({ pattern, in: where }))
    }
    case 'multi_stage':
      return verification.config.stages.flatMap(stage => patternsOf(stage.verification))
    default:
      return []
  }
}
