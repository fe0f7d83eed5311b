import { isObject } from './merge.ts'
import { type Path, showPath } from './path.ts'

/** Something that a project's files make ralph run, pass on or loosen. `what` is raw text from the file: quote it. */
export type Risk = { where: string; what: string }

/** The keys that carry risks, in the order of the list. `[]`: every entry of a list, `*`: every key. */
const RISKY = [
  'agent.command',
  'agent.flags',
  'agents',
  'fallbackAgents',
  'guardrails.[].command',
  'guardrails.[].verify',
  'guardrails.[].config',
  'scm',
  'pipeline.roles.*.command',
  'env.pass',
  'protect',
  'sandbox',
  'blocklist.allow',
  'notify.command',
  'notify.webhook',
] as const

/** Everything in the settings of a project's files that needs the user's trust. */
export const risks = (fromFiles: unknown): Risk[] =>
  RISKY.flatMap(where => follow(fromFiles, where.split('.'), []))

function follow(value: unknown, [step, ...rest]: string[], at: Path): Risk[] {
  if (step === undefined) return leaves(value, at)
  return entries(value)
    .filter(([key]) => (typeof key === 'number' ? step === '[]' : step === '*' || step === key))
    .flatMap(([key, inner]) => follow(inner, rest, [...at, key]))
}

/** null turns a feature off, so it is not a risk; nor is an empty list. */
function leaves(value: unknown, at: Path): Risk[] {
  if (typeof value !== 'object') return [{ where: showPath(at), what: String(value) }]
  return entries(value).flatMap(([key, inner]) => leaves(inner, [...at, key]))
}

/** Keys are sorted, so moving a line in the file is not a change. */
function entries(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) return [...value.entries()]
  return isObject(value) ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)) : []
}
