import { isObject } from '../core/json.ts'

export type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [Key in keyof T]?: DeepPartial<T[Key]> }
    : T

/**
 * Objects are merged, lists and scalars are replaced; `undefined` is ignored. Neither side is changed.
 * A key like `__proto__` stays a key: the result has only own properties.
 */
export function merge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base
  if (!isObject(base) || !isObject(over)) return over
  const keys = new Set([...Object.keys(base), ...Object.keys(over)])
  return Object.fromEntries([...keys].map(key => [key, merge(own(base, key), own(over, key))]))
}

const own = (object: Record<string, unknown>, key: string) =>
  Object.hasOwn(object, key) ? object[key] : undefined
