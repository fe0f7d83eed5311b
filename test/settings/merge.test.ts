import { expect, test } from 'vitest'
import { merge } from '../../src/settings/merge.ts'

test.each([
  {
    name: 'an object keeps the keys that the other does not name, a list is replaced',
    base: { agent: { command: 'claude', flags: ['--model opus'] } },
    over: { agent: { flags: ['--verbose'] } },
    result: { agent: { command: 'claude', flags: ['--verbose'] } },
  },
  { name: 'a scalar is replaced', base: { a: 1, b: 'x' }, over: { a: 2 }, result: { a: 2, b: 'x' } },
  { name: 'lists are not joined', base: { a: [1, 2] }, over: { a: [3] }, result: { a: [3] } },
  { name: 'an empty list replaces, too', base: { a: [1] }, over: { a: [] }, result: { a: [] } },
  {
    name: 'objects in lists do not merge',
    base: { a: [{ b: 1 }] },
    over: { a: [{ c: 2 }] },
    result: { a: [{ c: 2 }] },
  },
  { name: 'null replaces', base: { a: { b: 1 } }, over: { a: null }, result: { a: null } },
  { name: 'an object replaces a scalar', base: { a: 1 }, over: { a: { b: 1 } }, result: { a: { b: 1 } } },
  { name: 'undefined says nothing', base: { a: 1 }, over: { a: undefined }, result: { a: 1 } },
  {
    name: 'new keys come in at any depth',
    base: { a: { b: {} } },
    over: { a: { b: { c: 1 } } },
    result: { a: { b: { c: 1 } } },
  },
  {
    name: 'false and 0 replace',
    base: { a: true, b: 5 },
    over: { a: false, b: 0 },
    result: { a: false, b: 0 },
  },
])('$name', ({ base, over, result }) => {
  expect(merge(base, over)).toEqual(result)
})

test('neither side is changed', () => {
  const base = { agent: { flags: ['a'] } }
  const over = { agent: { command: 'codex' } }
  merge(base, over)
  expect([base, over]).toEqual([{ agent: { flags: ['a'] } }, { agent: { command: 'codex' } }])
})

test.each(['__proto__', 'constructor', 'prototype', 'toString'])('%s is a key like any other', key => {
  const evil = JSON.parse(`{"${key}":{"polluted":true}}`)
  const merged = merge(merge({}, evil), { [key === '__proto__' ? 'other' : key]: { more: true } }) as object
  expect(Object.hasOwn(merged, key)).toBe(true)
  expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
  expect('polluted' in {}).toBe(false)
  expect('polluted' in merged).toBe(false)
})
