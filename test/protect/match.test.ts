import fc from 'fast-check'
import picomatch from 'picomatch'
import { describe, expect, it, test } from 'vitest'
import { GLOB_OPTIONS, literalGlob } from '../../src/core/glob.ts'
import { readGlob } from '../../src/protect/glob.ts'

/** The path itself and the folders around it, the outermost first. */
const around = (path: string) => path.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'))

/** A folder that a pattern means stands for everything in it. */
const means = (pattern: string, path: string) => {
  const { matches } = readGlob(pattern)
  return around(path).some(part => matches(part))
}

describe('a pattern', () => {
  it.each<[string, { yes?: string[]; no?: string[] }]>([
    // ralph's own
    [
      '.ralph/settings*',
      { yes: ['.ralph/settings.json', '.ralph/settings.local.json', '.ralph/settings.d/x'] },
    ],
    ['.ralph/settings*', { no: ['.ralph/sessions/x', 'other/.ralph/settings.json', '.ralph'] }],
    // names and folders
    ['test', { yes: ['test', 'test/deep/er.ts'], no: ['tests/x', 'src/test', 'Test'] }],
    ['test/', { yes: ['test/deep/er.ts'], no: ['tests/x'] }],
    ['./package.json', { yes: ['package.json'], no: ['a/package.json'] }],
    ['a.c', { yes: ['a.c'], no: ['abc'] }],
    ['c++/$x^', { yes: ['c++/$x^'], no: ['c/$x^', 'cc/$x^'] }],
    ['$$*', { yes: ['$$x'], no: ['$x'] }],
    // stars
    ['*', { yes: ['a', '.hidden', 'a/b'] }],
    ['*.TS', { yes: ['a.TS'], no: ['a.ts'] }],
    ['a?c.txt', { yes: ['abc.txt', 'a.c.txt'], no: ['a/c.txt', 'ac.txt'] }],
    ['**', { yes: ['a', '.a/.b'] }],
    ['**/*.test.ts', { yes: ['a/b/c.test.ts', 'c.test.ts', '.a/.b.test.ts'], no: ['c.test.tsx', 'c.test'] }],
    ['**/*.test.ts', { yes: ['folder.test.ts/inside', 'line\nbreak/a.test.ts'] }],
    ['src/**/x', { yes: ['src/x', 'src/a/b/x', 'src/x/inside'], no: ['x', 'src/ax'] }],
    ['src/**', { yes: ['src/a/b', 'src/.a'], no: ['src', 'srcs/a'] }],
    ['src/*/**', { yes: ['src/a/b'], no: ['src/a'] }],
    ['**.ts', { yes: ['a.ts'], no: ['a/b.ts'] }],
    // braces
    [
      '**/*.{test,spec}.ts',
      { yes: ['src/a.test.ts', 'b.spec.ts'], no: ['src/a.ts', 'src/a.{test,spec}.ts'] },
    ],
    ['{src,lib}/**/*.{snap,golden}', { yes: ['lib/a/b.snap', 'src/b.golden'], no: ['etc/a.snap'] }],
    ['{a/b,c}/d', { yes: ['a/b/d', 'c/d'], no: ['a/d', 'b/d'] }],
    ['a{,b}', { yes: ['a', 'ab'], no: ['b'] }],
    ['{a,{b,c}}', { yes: ['a', 'b', 'c'], no: ['d'] }],
    ['v{1..3}', { yes: ['v1', 'v2', 'v3'], no: ['v4', 'v'] }],
    ['{c..a}', { yes: ['a', 'b', 'c'], no: ['d'] }],
    ['*.{ts}', { yes: ['a.{ts}'], no: ['a.ts'] }],
    // brackets
    ['[ab].ts', { yes: ['a.ts', 'b.ts'], no: ['c.ts', 'ab.ts'] }],
    ['[!a].ts', { yes: ['b.ts'], no: ['a.ts', '/.ts'] }],
    ['[^a].ts', { yes: ['b.ts'], no: ['a.ts'] }],
    ['[a-c][[:digit:]]', { yes: ['b7'], no: ['d7', 'bb'] }],
    ['[ab]+', { yes: ['a+'], no: ['aa'] }],
    ['app/[id]/**', { yes: ['app/[id]/page.tsx'], no: ['app/[name]/page.tsx'] }],
    // groups
    ['**/?(*.)+(spec|test).[jt]s?(x)', { yes: ['a/b.test.ts', 'test.js', 'c.spec.jsx'], no: ['a/btest.ts'] }],
    ['@(a|b)c', { yes: ['ac', 'bc'], no: ['c', 'abc'] }],
    ['+(a|aa)', { yes: ['a', 'aaa'], no: ['b', '+(a|aa)x'] }],
    ['*(a)b', { yes: ['b', 'aab'], no: ['cb', 'aa'] }],
    // backslashes
    ['app/\\(auth\\)/**', { yes: ['app/(auth)/page.tsx'], no: ['app/auth/page.tsx'] }],
    ['\\[...slug\\]/*', { yes: ['[...slug]/page.tsx'], no: ['s/page.tsx'] }],
    ['\\!a\\*', { yes: ['!a*'], no: ['!ab', 'b'] }],
    ['a\\{b,c\\}', { yes: ['a{b,c}'], no: ['ab'] }],
  ])('%j means %j', (pattern, { yes = [], no = [] }) => {
    expect(yes.filter(path => !means(pattern, path))).toEqual([])
    expect(no.filter(path => means(pattern, path))).toEqual([])
  })

  it.each([
    ['.ralph/settings*', '.ralph'],
    ['ralph/prd.md', 'ralph/prd.md'],
    ['./hooks/', 'hooks'],
    ['**/*.ts', ''],
    ['src/a/*/b', 'src/a'],
    ['src/{a,b}/c', 'src'],
    ['src/@(a/b|c)', 'src'],
    ['src/a\\*b/c', 'src'],
  ])('%s begins at %j', (pattern, base) => {
    expect(readGlob(pattern).base).toBe(base)
  })

  it.each([
    ['.ralph/settings*', '.ralph', true],
    ['.ralph/settings*', '.ralph/sessions', false],
    ['**/*.ts', 'any/where', true],
    ['src/*/x', 'src/a', true],
    ['src/*/x', 'src/a/y', false],
    ['src/*/x', 'src/a/x/y', false],
    ['packages/{a,b}/**', 'packages/a', true],
    ['packages/{a,b}/**', 'packages/a/deep/er', true],
    ['packages/{a,b}/**', 'packages/c', false],
    ['{a/b,c}/d', 'x', true],
  ])('of %s, something may be in %s: %s', (pattern, folder, may) => {
    expect(readGlob(pattern).mayHold(folder)).toBe(may)
  })

  it.each([
    ['package.json', false],
    ['.ralph/settings*', false],
    ['test/**', false],
    ['**/*.ts', true],
    ['*a*b', true],
    ['{a,b}', true],
    ['+(a)', true],
  ])('%s needs its time bounded: %s', (pattern, needs) => {
    expect(readGlob(pattern).canBacktrack).toBe(needs)
  })
})

test('whatever a pattern means, the folders on the way there are looked into', () => {
  const part = fc.constantFrom(
    ...['a', 'b', '*', '?', 'a*', '**', '.a', '{a,b}', '@(a|b)', '+(a)', '[!a]', '{a/b,b}', '?(a)b'],
    ...['@(a/b|b)', '{a,**}', 'a{,b}', '\\*', '{b,a/**}', '*(a|.)'],
  )
  const pattern = fc.array(part, { minLength: 1, maxLength: 4 }).map(parts => parts.join('/'))
  const name = fc.constantFrom('a', 'b', '.a', 'ab', 'aa', '*')
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map(parts => parts.join('/'))
  fc.assert(
    fc.property(pattern, path, (pattern, path) => {
      const { base, matches, mayHold } = readGlob(pattern)
      const steps = around(path)
      const met = steps.findIndex(step => matches(step))
      if (met < 0) return
      expect(steps.includes(base) || base === '').toBe(true)
      const within = steps.slice(0, met).filter(step => base === '' || step.startsWith(`${base}/`))
      expect(within.filter(step => !mayHold(step))).toEqual([])
    }),
    { numRuns: 1000 },
  )
})

test('any path can be written as a pattern that means it and nothing like it', () => {
  for (const path of ['my (old) [x]/prd.md', 'a*b', '{a,b}', '!x', '+(a|b)', 'a"b', 'a\\b', 'c++', '@x|y?']) {
    expect(means(literalGlob(path), path)).toBe(true)
    expect(means(literalGlob(path), `${path}x`)).toBe(false)
  }
  expect(means(literalGlob('{a,b}'), 'a')).toBe(false)
})

test('a simple pattern means what picomatch reads in it', () => {
  const folder = fc.stringMatching(/^[ab.-]{1,3}$/)
  const name = fc.stringMatching(/^[ab.-]{0,2}[ab-]$/)
  const pattern = fc
    .tuple(fc.array(folder, { maxLength: 2 }), name, fc.constantFrom('', '*'))
    .map(([folders, last, star]) => `${[...folders, last].join('/')}${star}`)
    .filter(glob => !/(?:^|\/)\.\.?(?:\/|$)/.test(glob))
  const rest = fc.stringMatching(/^[ab./\n-]{0,4}$/)
  fc.assert(
    fc.property(pattern, rest, fc.nat(6), (glob, more, kept) => {
      const { matches } = readGlob(glob)
      const theirs = picomatch(glob, GLOB_OPTIONS)
      const stem = glob.replace('*', '')
      for (const path of [stem, stem + more, stem.slice(0, kept) + more].filter(isPath))
        expect([path, matches(path)]).toEqual([path, theirs(path)])
    }),
    { numRuns: 2000 },
  )
})

/** Whether it is a path within a folder as ralph gets it from the disk or from git. */
const isPath = (path: string): boolean =>
  path.split('/').every(part => part !== '' && part !== '.' && part !== '..')
