import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pinFolder } from '../../src/store/files/pinned.ts'
import { openListFile } from '../../src/store/list-file.ts'
import { scratch } from '../support/scratch.ts'

/** Longer than what is read at once. */
const LONG = 'task\n'.repeat(50_000)

function openScene(text: string) {
  const root = pinFolder(scratch('ralph-list-'))
  const path = join(root.path, 'session', 'tasks.json')
  const file = openListFile(root, path, { own: [], given: null })
  file.write(Buffer.from(text))
  return { root, path, file }
}

describe('a file that ralph writes and others may edit', () => {
  it.each(['[]\n', LONG])('has not changed as long as it is as ralph left it', text => {
    const { root, path, file } = openScene(text)
    expect(readFileSync(path, 'utf8')).toBe(text)
    expect(file.changed()).toBeNull()
    const own = [Buffer.from('older'), Buffer.from(text), Buffer.from('newer')]
    expect(openListFile(root, path, { own, given: own[0]! }).changed()).toBeNull()
  })

  it.each([
    ['longer', `${LONG}more`],
    ['shorter', LONG.slice(0, -1)],
    ['shorter by whole pages', LONG.slice(0, 65_536)],
    ['empty', ''],
    ['different at its very end', `${LONG.slice(0, -1)}!`],
    ['different at its beginning', `T${LONG.slice(1)}`],
  ])('has changed when it is %s', (_, text) => {
    const { path, file } = openScene(LONG)
    writeFileSync(path, text)
    expect(file.changed()).toEqual({ text, written: LONG })
    file.write(Buffer.from(LONG))
    expect(file.changed()).toBeNull()
  })

  it('has nothing to tell once it is gone, and is there again after it was written', () => {
    const { path, file } = openScene(LONG)
    rmSync(join(path, '..'), { recursive: true })
    expect(file.changed()).toBeNull()
    file.write(Buffer.from(LONG))
    expect(readFileSync(path, 'utf8')).toBe(LONG)
  })

  it('is lost once it is gone or empty, but not before it was ever written', () => {
    const { root, path, file } = openScene(LONG)
    expect(file.isLost()).toBe(false)
    // What a power cut can leave of a file that was only shown.
    writeFileSync(path, '')
    expect(file.isLost()).toBe(true)
    file.show(Buffer.from(LONG))
    expect([file.isLost(), readFileSync(path, 'utf8'), file.changed()]).toEqual([false, LONG, null])
    rmSync(path)
    expect(file.isLost()).toBe(true)
    expect(openListFile(root, path, { own: [], given: null }).isLost()).toBe(false)
  })

  it('is not replaced by the same text', () => {
    const { path, file } = openScene(LONG)
    const { ino } = statSync(path)
    file.write(Buffer.from(LONG))
    expect(statSync(path).ino).toBe(ino)
  })

  it('never loses a text that could not be used', () => {
    const { path, file } = openScene('[]\n')
    const kept = ['one', 'two'].map(text => file.keep(text))
    expect(kept.map(place => readFileSync(place, 'utf8'))).toEqual(['one', 'two'])
    mkdirSync(`${path}.broken-3`)
    expect(file.keep('three')).toBe(`${path}.broken-4`)
  })
})
