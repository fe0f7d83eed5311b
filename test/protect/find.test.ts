import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findFiles } from '../../src/protect/find-files.ts'
import { readGlob } from '../../src/protect/glob.ts'
import { scratch } from '../support/scratch.ts'

/** A folder with these files. */
function plant(...paths: string[]): string {
  const root = scratch('ralph-find-')
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), '')
  }
  return root
}

const find = (root: string, pattern: string, limitMs?: number) =>
  findFiles(root, readGlob(pattern), limitMs).files.sort()

describe('files are found', () => {
  it('at any depth, hidden ones too', () => {
    const root = plant('a.test.ts', 'src/deep/b.spec.ts', '.x/.c.test.ts', 'src/d.ts')
    expect(find(root, '**/*.{test,spec}.ts')).toEqual(['.x/.c.test.ts', 'a.test.ts', 'src/deep/b.spec.ts'])
  })

  it('in every folder that the pattern means, whatever they are called', () => {
    const root = plant('packages/a/test/x', 'packages/a/test/deep/y', 'packages/b/src/z', 'test/w')
    expect(find(root, 'packages/*/test')).toEqual(['packages/a/test/deep/y', 'packages/a/test/x'])
    expect(find(root, 'packages')).toEqual([
      'packages/a/test/deep/y',
      'packages/a/test/x',
      'packages/b/src/z',
    ])
  })

  it('not in node_modules and .git, unless the pattern begins there', () => {
    const root = plant('a.ts', 'node_modules/x/b.ts', 'src/node_modules/y/c.ts', '.git/d.ts')
    expect(find(root, '**/*.ts')).toEqual(['a.ts'])
    expect(find(root, '{.git,node_modules}/**')).toEqual([])
    expect(find(root, 'node_modules/*/*.ts')).toEqual(['node_modules/x/b.ts'])
    expect(find(root, '.git')).toEqual(['.git/d.ts'])
  })

  it('as links, and not behind them; one in the way is found itself', () => {
    const root = plant('elsewhere/a.ts')
    symlinkSync('elsewhere', join(root, 'src'))
    symlinkSync('elsewhere/a.ts', join(root, 'b.ts'))
    expect(find(root, '*.ts')).toEqual(['b.ts'])
    expect(find(root, '**/*.ts')).toEqual(['b.ts', 'elsewhere/a.ts'])
    expect(find(root, 'src/*.ts')).toEqual(['src'])
  })

  it('nowhere where there is nothing', () => {
    const root = plant('a')
    expect(['b', 'b/**', 'a/b', '*.ts', 'a/**'].flatMap(pattern => find(root, pattern))).toEqual([])
  })
})

it.each([
  ['many stars', `${'*a'.repeat(8)}*c`],
  ['many braces', `${'{a,a}'.repeat(60)}c`],
])('a pattern of %s, which would take for ever, is given up', (_, pattern) => {
  const root = plant(`${'a'.repeat(200)}b`)
  expect(() => find(root, pattern, 100)).toThrow(
    /^the pattern ".*" in "protect" takes too long to match the files/,
  )
})
