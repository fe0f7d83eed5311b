import { execFileSync } from 'node:child_process'
import { lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { actInside, isFolderInside, makeFolder } from '../../src/store/files/inside.ts'
import { pinFolder } from '../../src/store/files/pinned.ts'
import { scratch } from '../support/scratch.ts'

function setScene() {
  const dir = scratch()
  const project = join(dir, 'project')
  mkdirSync(join(project, 'a', 'b'), { recursive: true })
  mkdirSync(join(dir, 'outside', 'b'), { recursive: true })
  const sh = (script: string) => execFileSync('sh', ['-ec', script], { cwd: project })
  return { dir, project, root: pinFolder(project), sh }
}

/** What somebody may do to the way to `a/b/file`. */
const OBSTACLES: [string, string][] = [
  ['a link above', 'mv a x; ln -s ../outside a'],
  ['a link that stays within', 'mv a x; ln -s x a'],
  ['a link right above', 'rmdir a/b; ln -s ../../outside a/b'],
  ['a dangling link', 'rmdir a/b; ln -s nowhere a/b'],
  ['a link to a file', 'rmdir a/b; touch f; ln -s ../f a/b'],
  ['a file', 'rmdir a/b; touch a/b'],
  ['a pipe', 'rmdir a/b; mkfifo a/b'],
  ['nothing', 'rmdir a/b'],
]

/** What somebody may do to the project itself. */
const REPLACED: [string, string][] = [
  ['moved away', 'cd ..; mv project moved'],
  ['another folder', 'cd ..; mv project moved; cp -a moved project'],
  ['a link to another', 'cd ..; mv project moved; ln -s outside project'],
  ['a link to itself elsewhere', 'cd ..; mv project moved; ln -s moved project'],
  ['a file', 'cd ..; mv project moved; touch project'],
]

describe('a path below a root', () => {
  it.each([...OBSTACLES, ...REPLACED])('is not used behind %s', (_, script) => {
    const { root, project, sh } = setScene()
    const act = () => actInside(root, join(project, 'a/b/file'), () => 'acted')
    expect([act(), isFolderInside(root, join(project, 'a/b'))]).toEqual(['acted', true])
    sh(script)
    expect(act).toThrow()
    expect(isFolderInside(root, join(project, 'a/b'))).toBe(false)
  })

  it('is never beside it', () => {
    const { root, project } = setScene()
    for (const path of ['../outside/x', 'a/../../outside', '.', ''])
      expect(() => actInside(root, join(project, path), () => 'acted')).toThrow(/is not a path below/)
  })
})

describe('making a folder below a root', () => {
  it.each(OBSTACLES)('makes nothing elsewhere for %s; only with force it is replaced', (what, script) => {
    const { dir, root, project, sh } = setScene()
    sh(script)
    if (what !== 'nothing') expect(() => makeFolder(root, join(project, 'a/b/c'))).toThrow()
    makeFolder(root, join(project, 'a/b/c'), { force: true })
    expect(lstatSync(join(project, 'a/b/c')).isDirectory()).toBe(true)
    expect(isFolderInside(root, join(project, 'a/b/c'))).toBe(true)
    expect(readdirSync(join(dir, 'outside'))).toEqual(['b'])
    expect(readdirSync(join(dir, 'outside', 'b'))).toEqual([])
  })

  it.each(REPLACED)('makes nothing where the project is %s', (_, script) => {
    const { dir, root, project, sh } = setScene()
    sh(script)
    const before = execFileSync('find', [dir], { encoding: 'utf8' })
    expect(() => makeFolder(root, join(project, 'new'), { force: true })).toThrow()
    expect(execFileSync('find', [dir], { encoding: 'utf8' })).toBe(before)
  })
})
