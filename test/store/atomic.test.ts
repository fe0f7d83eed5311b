import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { removeTempFiles, replaceFile } from '../../src/store/files/atomic.ts'
import { scratch } from '../support/scratch.ts'

describe('replacing a file', () => {
  it('leaves the new text, the mode asked for, and nothing else', () => {
    const dir = scratch()
    const path = join(dir, 'state.json')
    writeFileSync(path, 'old')
    replaceFile(path, 'new', 0o600)
    expect(readFileSync(path, 'utf8')).toBe('new')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(dir)).toEqual(['state.json'])
  })

  it('replaces a link, not what it points to', () => {
    const dir = scratch()
    writeFileSync(join(dir, 'target'), 'precious')
    symlinkSync(join(dir, 'target'), join(dir, 'link'))
    replaceFile(join(dir, 'link'), 'new')
    expect(readFileSync(join(dir, 'target'), 'utf8')).toBe('precious')
    expect(readFileSync(join(dir, 'link'), 'utf8')).toBe('new')
  })

  it('that cannot be done throws and leaves no trace', () => {
    const dir = scratch()
    mkdirSync(join(dir, 'folder'))
    expect(() => replaceFile(join(dir, 'folder'), 'text')).toThrow()
    expect(readdirSync(dir)).toEqual(['folder'])
  })
})

it('what a crash left of a file that was being replaced is removed, and nothing else', () => {
  const dir = scratch()
  for (const name of ['.ralph-0123456789abcdef.tmp', '.ralph-mine.tmp', 'file'])
    writeFileSync(join(dir, name), 'x')
  removeTempFiles(dir)
  expect(readdirSync(dir).sort()).toEqual(['.ralph-mine.tmp', 'file'])
  expect(() => removeTempFiles(join(dir, 'none'))).not.toThrow()
})
