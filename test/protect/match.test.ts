import { expect, it } from 'vitest'
import { descender, matcher, staticPart } from '../../src/protect/match.ts'

it.each([
  ['.ralph/settings*', '.ralph/settings.json', true],
  ['.ralph/settings*', '.ralph/settings.local.json', true],
  ['.ralph/settings*', '.ralph/sessions/x', false],
  ['.ralph/settings*', 'other/.ralph/settings.json', false],
  ['test', 'test/deep/er.ts', true],
  ['test/', 'test/deep/er.ts', true],
  ['test', 'tests/x', false],
  ['**/*.test.ts', 'a/b/c.test.ts', true],
  ['**/*.test.ts', 'c.test.ts', true],
  ['**/*.test.ts', 'c.test.tsx', false],
  ['src/**/x', 'src/x', true],
  ['src/**', 'src/a/b', true],
  ['a?c.txt', 'abc.txt', true],
  ['a?c.txt', 'a/c.txt', false],
  ['a.c', 'abc', false],
  ['./package.json', 'package.json', true],
])('%s matches %s: %s', (glob, path, matches) => {
  expect(matcher(glob)(path)).toBe(matches)
})

it.each([
  ['.ralph/settings*', '.ralph'],
  ['ralph/prd.md', 'ralph/prd.md'],
  ['**/*.ts', ''],
  ['src/a/*/b', 'src/a'],
])('%s lies below %j', (glob, part) => {
  expect(staticPart(glob)).toBe(part)
})

it.each([
  ['.ralph/settings*', '.ralph', true],
  ['.ralph/settings*', '.ralph/sessions', false],
  ['.ralph/settings*', '.ralph/settings.d', true],
  ['.ralph/settings*', '.ralph/settings.d/deep', true],
  ['test', 'test/deep/er', true],
  ['**/*.ts', 'any/where', true],
  ['src/*/x', 'src/a', true],
  ['src/*/x', 'src/a/y', false],
])('below %s, %s is looked into: %s', (glob, folder, looks) => {
  expect(descender(glob)(folder)).toBe(looks)
})
