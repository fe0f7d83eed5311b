import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { actWithin, isPinned, PathChanged, pinFolder, walkWithin } from '../../src/store/files/pinned.ts'
import { scratch } from '../support/scratch.ts'

/** A project with a folder in it, and a folder elsewhere that has the same names in it. */
function lay() {
  const base = scratch('ralph-pinned-')
  const root = join(base, 'project')
  const elsewhere = join(base, 'elsewhere')
  for (const folder of [root, elsewhere]) {
    mkdirSync(join(folder, 'a', 'b'), { recursive: true })
    writeFileSync(join(folder, 'a', 'b', 'file'), folder)
  }
  return { base, root, elsewhere }
}

describe('acting below a pinned folder', () => {
  it('writes, makes folders and removes, as with any path', () => {
    const { root } = lay()
    const pin = pinFolder(root)
    actWithin(pin, 'a/b/new', entry => writeFileSync(entry, 'x'))
    actWithin(pin, 'c/d/e', entry => writeFileSync(entry, 'y'), { make: true })
    actWithin(pin, 'a/b/file', entry => rmSync(entry))
    expect(readdirSync(join(root, 'a/b'))).toEqual(['new'])
    expect(readFileSync(join(root, 'c/d/e'), 'utf8')).toBe('y')
    expect(isPinned(pin)).toBe(true)
  })

  it('says of a missing folder what the system says', () => {
    const { root } = lay()
    expect(() => actWithin(pinFolder(root), 'no/such', entry => writeFileSync(entry, ''))).toThrow('ENOENT')
  })

  it.each<[string, (root: string, elsewhere: string) => void]>([
    [
      'the folder itself is now a link',
      (root, elsewhere) => {
        renameSync(root, `${root}-real`)
        symlinkSync(elsewhere, root)
      },
    ],
    [
      'the folder itself is now another folder',
      (root, elsewhere) => {
        renameSync(root, `${root}-real`)
        renameSync(elsewhere, root)
        symlinkSync(root, elsewhere)
      },
    ],
    [
      'a folder in the middle is now a link',
      (root, elsewhere) => {
        rmSync(join(root, 'a'), { recursive: true })
        symlinkSync(join(elsewhere, 'a'), join(root, 'a'))
      },
    ],
    [
      'the last folder is now a relative link',
      root => {
        rmSync(join(root, 'a/b'), { recursive: true })
        symlinkSync('../../elsewhere/a/b', join(root, 'a/b'))
      },
    ],
    [
      'the last folder is now a link that leads nowhere',
      root => {
        rmSync(join(root, 'a/b'), { recursive: true })
        symlinkSync('../../elsewhere/new', join(root, 'a/b'))
      },
    ],
    [
      'a folder is now a file',
      root => {
        rmSync(join(root, 'a'), { recursive: true })
        writeFileSync(join(root, 'a'), '')
      },
    ],
  ])('does nothing anywhere if %s', (_, change) => {
    const { base, root, elsewhere } = lay()
    const pin = pinFolder(root)
    change(root, elsewhere)
    const was = readdirSync(base, { recursive: true }).sort()
    for (const make of [false, true])
      for (const act of [(entry: string) => rmSync(entry), (entry: string) => writeFileSync(entry, 'bad')])
        expect(() => actWithin(pin, 'a/b/file', act, { make })).toThrow(PathChanged)
    const seen: string[] = []
    const note = (entry: string) => {
      if (existsSync(entry)) seen.push(readdirSync(join(entry, '..')).join())
      return true
    }
    expect(() => walkWithin(pin, 'a/b/file', note)).toThrow(PathChanged)
    expect(seen).not.toContain('file')
    expect(readdirSync(base, { recursive: true }).sort()).toEqual(was)
    expect(readFileSync(join(elsewhere, 'a/b/file'), 'utf8')).toBe(elsewhere)
  })

  it.each([
    '',
    '.',
    '..',
    '../elsewhere/a',
    'a/../../elsewhere/a/b/file',
    '/etc/passwd',
    'a//b',
    'a/b/',
    'a\0',
  ])('refuses %j, which is no path below it', path => {
    const { root } = lay()
    expect(() => actWithin(pinFolder(root), path, () => 'acted')).toThrow(PathChanged)
    expect(() => walkWithin(pinFolder(root), path, () => true)).toThrow(PathChanged)
  })

  it.runIf(existsSync('/proc/self/fd'))(
    'stays in the folder that it opened, if a link takes its place',
    () => {
      const { root, elsewhere } = lay()
      actWithin(pinFolder(root), 'a/b/file', entry => {
        renameSync(join(root, 'a'), join(root, 'moved'))
        symlinkSync(join(elsewhere, 'a'), join(root, 'a'))
        rmSync(entry)
      })
      expect(existsSync(join(elsewhere, 'a/b/file'))).toBe(true)
      expect(existsSync(join(root, 'moved/b/file'))).toBe(false)
    },
  )
})

describe('walking down a path below a pinned folder', () => {
  it('comes to each part once, before that is opened, as long as it is wanted', () => {
    const { root } = lay()
    const pin = pinFolder(root)
    const walk = (wanted: number) => {
      const parts: string[] = []
      walkWithin(pin, 'a/b/file', (entry, part) => {
        expect(existsSync(entry)).toBe(true)
        return parts.push(part) < wanted
      })
      return parts
    }
    expect(walk(9)).toEqual(['a', 'a/b', 'a/b/file'])
    expect(walk(2)).toEqual(['a', 'a/b'])
    rmSync(join(root, 'a'), { recursive: true })
    walkWithin(pin, 'a/b', entry => {
      mkdirSync(entry)
      return true
    })
    expect(existsSync(join(root, 'a/b'))).toBe(true)
  })
})

describe('a folder is pinned', () => {
  it('only if it is one, and not a link to one', () => {
    const { root, elsewhere } = lay()
    symlinkSync(elsewhere, join(root, 'link'))
    for (const path of ['link', 'none', 'a/b/file'])
      expect(() => pinFolder(join(root, path))).toThrow(`${join(root, path)} is not a folder`)
  })

  it('until something else is in its place', () => {
    const { root } = lay()
    const pin = pinFolder(join(root, 'a'))
    renameSync(join(root, 'a'), join(root, 'c'))
    expect(isPinned(pin)).toBe(false)
    symlinkSync('c', join(root, 'a'))
    expect(isPinned(pin)).toBe(false)
    rmSync(join(root, 'a'))
    renameSync(join(root, 'c'), join(root, 'a'))
    expect(isPinned(pin)).toBe(true)
  })
})
