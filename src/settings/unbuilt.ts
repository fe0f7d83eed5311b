import { isObject } from './merge.ts'
import type { Path } from './path.ts'

/** Keys of features that are not built yet. A file that sets one is refused, because ralph ignores no setting. */
export const UNBUILT = ['sandbox'] as const

/** The paths in a settings object that set something unbuilt. */
export const findUnbuilt = (raw: unknown): Path[] => UNBUILT.flatMap(key => find(raw, stepsOf(key), []))

/** `guardrails[].verify` → guardrails, [], verify */
export const stepsOf = (key: string): string[] => key.split(/\.|(?=\[\])/)

function find(value: unknown, [key, ...rest]: string[], at: Path): Path[] {
  if (key === undefined) return [at]
  if (key === '[]')
    return Array.isArray(value) ? value.flatMap((item, index) => find(item, rest, [...at, index])) : []
  return isObject(value) && Object.hasOwn(value, key) && value[key] !== undefined
    ? find(value[key], rest, [...at, key])
    : []
}
