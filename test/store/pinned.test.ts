import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  actWithin,
  holdFolder,
  isPinned,
  PathChanged,
  pinFolder,
  walkWithin,
} from '../../src/store/files/pinned.ts'
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

/** Ways to put something else in the place of a folder. */
const CHANGES: [string, (root: string, elsewhere: string) => void][] = [
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
]

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

  it.each(CHANGES)('does nothing anywhere if %s', (_, change) => {
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

describe('a held folder below a pinned one', () => {
  const hold = (root: string) => {
    const held = holdFolder(pinFolder(root), 'a/b')
    expect(held.isThere()).toBe(true)
    return held
  }

  it('is acted in at any depth, until it is closed and after that', () => {
    const { root } = lay()
    const held = hold(root)
    held.act('new', entry => writeFileSync(entry, 'x'))
    held.act('c', entry => mkdirSync(entry))
    held.act('c/d', entry => mkdirSync(entry))
    held.act('c/d/e', entry => writeFileSync(entry, 'y'))
    held.close()
    held.act('file', entry => rmSync(entry))
    expect(readdirSync(join(root, 'a/b'), { recursive: true }).sort()).toEqual(['c', 'c/d', 'c/d/e', 'new'])
    held.close()
  })

  it.each([
    ...CHANGES,
    [
      'it was moved, and a link leads to it',
      (root: string, elsewhere: string) => {
        renameSync(join(root, 'a'), join(elsewhere, 'moved'))
        symlinkSync(join(elsewhere, 'moved'), join(root, 'a'))
      },
    ] as const,
    [
      'it is at its place, but the folder above was replaced',
      (root: string) => {
        renameSync(root, `${root}-real`)
        mkdirSync(root)
        renameSync(join(`${root}-real`, 'a'), join(root, 'a'))
      },
    ] as const,
  ])('is not acted in if %s', (_, change) => {
    const { base, root, elsewhere } = lay()
    const held = hold(root)
    change(root, elsewhere)
    const was = readdirSync(base, { recursive: true }).sort()
    for (const act of [(entry: string) => rmSync(entry), (entry: string) => writeFileSync(entry, 'bad')])
      expect(() => held.act('file', act)).toThrow(PathChanged)
    expect(held.isThere()).toBe(false)
    expect(readdirSync(base, { recursive: true }).sort()).toEqual(was)
    expect(readFileSync(join(elsewhere, 'a/b/file'), 'utf8')).toBe(elsewhere)
  })

  it('is the one that is there now, if it was removed and made again', () => {
    const { root } = lay()
    const held = hold(root)
    rmSync(join(root, 'a'), { recursive: true })
    expect(held.isThere()).toBe(false)
    expect(() => held.act('new', entry => writeFileSync(entry, 'x'))).toThrow('ENOENT')
    mkdirSync(join(root, 'a/b'), { recursive: true })
    held.act('new', entry => writeFileSync(entry, 'x'))
    expect(readdirSync(join(root, 'a/b'))).toEqual(['new'])
    held.close()
  })

  it('follows no link below it, and nothing leads out of it', () => {
    const { root, elsewhere } = lay()
    const held = hold(root)
    symlinkSync(join(elsewhere, 'a/b'), join(root, 'a/b/link'))
    for (const path of ['link/file', '../b/file', '..', ''])
      expect(() => held.act(path, entry => rmSync(entry))).toThrow(PathChanged)
    expect(existsSync(join(elsewhere, 'a/b/file'))).toBe(true)
    held.close()
  })

  it.runIf(existsSync('/proc/self/fd'))('is open once, and not after it was closed', () => {
    const { root } = lay()
    const pointers = () =>
      readdirSync('/proc/self/fd').filter(fd => {
        const path = join('/proc/self/fd', fd)
        return existsSync(path) && readlinkSync(path).startsWith(root)
      })
    const held = hold(root)
    for (const name of ['one', 'two']) held.act(name, entry => writeFileSync(entry, ''))
    expect(pointers()).toHaveLength(1)
    held.close()
    expect(pointers()).toEqual([])
  })
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
