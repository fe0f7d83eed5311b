import { expect, test } from 'vitest'
import { merge } from '../../src/settings/merge.ts'

test.each<[string, object, object, object]>([
  [
    'an object keeps the keys that the other does not name, a list is replaced',
    { agent: { command: 'claude', flags: ['--model opus'] } },
    { agent: { flags: ['--verbose'] } },
    { agent: { command: 'claude', flags: ['--verbose'] } },
  ],
  ['a scalar is replaced', { a: 1, b: 'x' }, { a: 2 }, { a: 2, b: 'x' }],
  ['lists are not joined', { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ['an empty list replaces, too', { a: [1] }, { a: [] }, { a: [] }],
  ['objects in lists do not merge', { a: [{ b: 1 }] }, { a: [{ c: 2 }] }, { a: [{ c: 2 }] }],
  ['null replaces', { a: { b: 1 } }, { a: null }, { a: null }],
  ['an object replaces a scalar', { a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
  ['undefined says nothing', { a: 1 }, { a: undefined }, { a: 1 }],
  ['new keys come in at any depth', { a: { b: {} } }, { a: { b: { c: 1 } } }, { a: { b: { c: 1 } } }],
  ['false and 0 replace', { a: true, b: 5 }, { a: false, b: 0 }, { a: false, b: 0 }],
])('%s', (_, base, over, result) => {
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
