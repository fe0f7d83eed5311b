import type * as z from 'zod/mini'
import { quote } from '../core/quote.ts'
import { isObject } from './merge.ts'
import { type Path, showPath } from './path.ts'
import { schema } from './schema.ts'
import { findMeant } from './slip.ts'
import { findUnbuilt } from './unbuilt.ts'

/** More keys than these are no help in an error of one line. */
const KEYS_WORTH_NAMING = 8

/** What is wrong with one source of settings, a sentence each; empty if nothing is. */
export function findProblems(raw: unknown, source: string): string[] {
  if (!isObject(raw)) return [`${source} must hold an object, { … }, not ${describe(raw)}`]
  const unbuilt = findUnbuilt(raw)
  const parsed = schema.safeParse(raw, { jitless: true })
  const issues = parsed.error?.issues ?? []
  return [
    ...unbuilt.map(path => `${quote(showPath(path))} is not supported yet in this version (${source})`),
    ...issues
      .filter(issue => !unbuilt.some(path => concerns(issue, path)))
      .flatMap(issue => tell(issue, raw, source)),
  ]
}

/** Whether an issue lies in what is refused as a whole: the section, or the guardrail that the key makes another kind. */
const concerns = (issue: z.core.$ZodIssue, unbuilt: Path): boolean => {
  const whole = unbuilt.length > 1 ? unbuilt.slice(0, -1) : unbuilt
  return whole.every((step, place) => issue.path[place] === step)
}

function tell(issue: z.core.$ZodIssue, raw: unknown, source: string): string[] {
  const path = issue.path as Path
  if (issue.code === 'unrecognized_keys') return issue.keys.map(key => tellUnknown(path, key, source))
  const value = path.reduce(valueAt, raw)
  if (value === undefined) return [`${showPath(path)} is missing (${source})`]
  const found = issue.code === 'invalid_type' ? describe(value) : show(value)
  return [`${showPath(path)} ${issue.message}, not ${found} (${source})`]
}

/** A bare name stands for the object that has it. */
const valueAt = (value: unknown, step: string | number): unknown =>
  typeof value === 'string' ? value : (value as Record<string | number, unknown>)[step]

function tellUnknown(path: Path, key: string, source: string): string {
  const known = keysAt(schema, path)
  const meant = findMeant(key, known)
  const way =
    meant !== null
      ? `did you mean ${quote(showPath([...path, meant]))}?`
      : known.length <= KEYS_WORTH_NAMING
        ? `known there: ${known.join(', ')}`
        : 'correct its name or remove it'
  return `unknown key ${quote(showPath([...path, key]))} in ${source}; ${way}`
}

/** The keys that the schema knows at a place. */
function keysAt(at: z.core.$ZodType, path: Path): string[] {
  const { def } = (at as z.core.$ZodTypes)._zod
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

/** A kind where the kind is what is wrong, and the value itself where that is as short. */
function describe(value: unknown): string {
  if (typeof value === 'string') return 'a string'
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'an object' : String(value)
}

const show = (value: unknown): string => (typeof value === 'string' ? quote(value) : describe(value))
