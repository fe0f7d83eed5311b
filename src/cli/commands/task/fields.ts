import { UsageError } from '../../../core/usage-error.ts'
import { TEMPLATES } from '../../../core/verification/method.ts'
import { type Path, showPath } from '../../../settings/names.ts'
import { PIPELINE_ROLES } from '../../../settings/schema.ts'
import { isMethod } from '../../../settings/verification.ts'
import type { TaskFields } from '../../verbs/task.ts'

type Raw = Record<string, unknown>

/** What was typed, in the shape of a task file. */
export const givenFrom = (fields: TaskFields): Raw => withFields({}, fields) ?? { completion: {} }

/** A task in the shape of a task file, with what was typed in place of what it had. Null if nothing was typed. */
export function withFields(task: Raw, fields: TaskFields, title?: string): Raw | null {
  const { outcome, acceptance, description, priority, dependsOn, assignee } = fields
  const completion = (task.completion ?? {}) as Raw
  const roles = PIPELINE_ROLES.flatMap(role => {
    const criteria = criteriaFrom(role, fields, (completion[role] ?? {}) as Raw)
    return criteria ? [[role, criteria] as const] : []
  })
  const spec = defined({ outcome, acceptance_criteria: acceptance, ...Object.fromEntries(roles) })
  const own = defined({ title, description, priority, dependencies: dependsOn, assignee })
  if (Object.keys(own).length + Object.keys(spec).length === 0) return null
  return { ...task, ...own, completion: { ...completion, ...spec } }
}

/** The criteria of one role. Null if nothing was typed for it. Another method begins with an empty config. */
function criteriaFrom(role: string, fields: TaskFields, before: Raw): Raw | null {
  const option = (name: string) => fields[`${role}${name}`]
  const command = option('VerifyCmd')
  const method =
    option('Verify') ?? (command === undefined ? undefined : (before.verification_method ?? 'external'))
  // A name that is no method is refused as such.
  if (command !== undefined && method !== 'external' && isVerifier(String(method)))
    throw new UsageError(`--${role}-verify-cmd is for --${role}-verify external, not for ${String(method)}`)
  if (method === 'multi_stage')
    throw new UsageError(
      `--${role}-verify multi_stage needs stages; write them in a file, and: ralph task import FILE`,
    )
  const kept = method === before.verification_method ? ((before.verification_config ?? {}) as Raw) : {}
  const given = defined({
    promise: option('Promise'),
    description: option('Description'),
    verification_method: method,
    max_iterations: option('MaxIterations'),
  })
  if (Object.keys(given).length === 0) return null
  const config = method === undefined ? {} : { verification_config: { ...kept, ...defined({ command }) } }
  return { ...before, ...given, ...config }
}

const isVerifier = (name: string): boolean => isMethod(name) || Object.hasOwn(TEMPLATES, name)

const OPTIONS: Readonly<Record<string, string>> = {
  outcome: '--outcome',
  acceptance_criteria: '--acceptance',
  dependencies: '--depends-on',
  title: 'the title',
  id: 'the id',
  spec_id: 'the spec',
  promise: 'promise',
  description: 'description',
  verification_method: 'verify',
  command: 'verify-cmd',
  max_iterations: 'max-iterations',
}

/** Where a problem is, in the words of the command line. */
export function optionAt(path: Path): string {
  const [first, second, ...rest] = path
  if (first !== 'completion') return OPTIONS[String(first)] ?? showPath(path)
  const key = rest.findLast(step => typeof step === 'string')
  if (rest.length === 0 || key === undefined) return OPTIONS[String(second)] ?? showPath(path)
  const option = OPTIONS[key]
  return option === undefined ? showPath(path) : `--${String(second)}-${option}`
}

const defined = (values: Raw): Raw =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
