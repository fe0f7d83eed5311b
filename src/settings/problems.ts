import type * as z from 'zod/mini'
import { isObject } from '../core/json.ts'
import { quote } from '../core/visible.ts'
import { nearestName, type Path, showPath } from './names.ts'
import { schema } from './schema.ts'

/** More keys than this do not help in an error of one line. */
const KEYS_WORTH_NAMING = 8

/** What is wrong with one source of settings, one sentence per problem. */
export function findProblems(raw: unknown, source: string): string[] {
  if (!isObject(raw)) return [`${source} must hold an object, { … }, not ${describe(raw)}`]
  const parsed = schema.safeParse(raw, { jitless: true })
  const issues = parsed.error?.issues ?? []
  return issues.flatMap(issue => describeIssue(issue, raw, source))
}

function describeIssue(issue: z.core.$ZodIssue, raw: unknown, source: string): string[] {
  const path = issue.path as Path
  if (issue.code === 'unrecognized_keys') return issue.keys.map(key => describeUnknownKey(path, key, source))
  const value = path.reduce(valueAt, raw)
  if (value === undefined) return [`${showPath(path)} is missing (${source})`]
  const found = issue.code === 'invalid_type' ? describe(value) : show(value)
  return [`${showPath(path)} ${issue.message}, not ${found} (${source})`]
}

/** A bare name stands for an object, so a path inside that object leads to the name. */
const valueAt = (value: unknown, step: string | number): unknown =>
  typeof value === 'string' ? value : (value as Record<string | number, unknown> | undefined)?.[step]

function describeUnknownKey(path: Path, key: string, source: string): string {
  const known = keysAt(schema, path)
  const nearest = nearestName(key, known)
  const hint =
    nearest !== null
      ? `did you mean ${quote(showPath([...path, nearest]))}?`
      : known.length <= KEYS_WORTH_NAMING
        ? `known there: ${known.join(', ')}`
        : 'correct its name or remove it'
  return `unknown key ${quote(showPath([...path, key]))} in ${source}; ${hint}`
}

/** The keys of the schema at a path. */
function keysAt(node: z.core.$ZodType, path: Path): string[] {
  const { def } = (node as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'default':
    case 'prefault':
    case 'optional':
    case 'nullable':
      return keysAt(def.innerType, path)
    case 'union':
      return [...new Set(def.options.flatMap(option => keysAt(option, path)))]
    case 'pipe':
      return keysAt(def.out, path)
    case 'array':
      return keysAt(def.element, path.slice(1))
    case 'object': {
      const [key, ...rest] = path
      if (key === undefined) return Object.keys(def.shape)
      return Object.hasOwn(def.shape, key) ? keysAt(def.shape[key]!, rest) : []
    }
    default:
      return []
  }
}

/** The type of a value; for null, a number or a boolean, the value itself. */
function describe(value: unknown): string {
  if (typeof value === 'string') return 'a string'
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'an object' : String(value)
}

const show = (value: unknown): string => (typeof value === 'string' ? quote(value) : describe(value))
