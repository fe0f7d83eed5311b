import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../core/json.ts'
import { type Path, showPath } from './names.ts'
import { resolveSettings } from './schema.ts'

/** Something of a project's files that decides what runs or what counts. `what` is raw text of a file: quote it. */
export type Risk = {
  /** The file that an agent loads by itself. It is absent for ralph's settings and the stories. */
  file?: string
  where: string
  what: string
  /** What trust is bound to in addition to what is shown, such as the hash of a program. */
  exact?: string
}

/** These change only how things look. Everything else needs trust, also what a later version adds. */
const HARMLESS: readonly string[] = ['$schema', 'output']

/** What runs comes first in the list. */
const ORDER: readonly string[] = [
  'agent',
  'agents',
  'fallbackAgents',
  'guardrails',
  'scm',
  'pipeline',
  'env',
  'protect',
  'sandbox',
  'blocklist',
  'worktree',
  'notify',
]

/** Everything in the settings of a project's files that needs the user's trust: all that is not as it is by default. */
export function risks(fromFiles: unknown): Risk[] {
  const rank = (key: string | number) =>
    ORDER.includes(String(key)) ? ORDER.indexOf(String(key)) : ORDER.length
  const usual = resolveSettings({}) as Record<string, unknown>
  return isObject(fromFiles)
    ? entries(fromFiles)
        .filter(([key]) => !HARMLESS.includes(String(key)))
        .sort(([a], [b]) => rank(a) - rank(b))
        .flatMap(([key, value]) => leaves(value, usual[key], [key]))
    : []
}

/** null is the default wherever it is allowed. */
function leaves(value: unknown, usual: unknown, at: Path): Risk[] {
  if (value === null || isDeepStrictEqual(value, usual)) return []
  const inner = entries(value)
  if (inner.length > 0)
    return inner.flatMap(([key, each]) =>
      leaves(each, isObject(usual) ? usual[key] : undefined, [...at, key]),
    )
  if (isObject(value)) return []
  return [{ where: showPath(at), what: Array.isArray(value) ? 'none' : String(value) }]
}

/** Keys are sorted, so moving a line in the file is not a change. */
function entries(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) return [...value.entries()]
  return isObject(value) ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)) : []
}
