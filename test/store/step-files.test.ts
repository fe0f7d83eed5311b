import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openSession } from '../../src/store/session.ts'
import { callRecord } from '../../src/store/step-files.ts'
import { scratch } from '../support/scratch.ts'

function setScene(most?: { output: number; errors: number }) {
  const folder = scratch()
  const record = callRecord({ folderFor: () => folder, keep: (path, act) => act(path) }, undefined, most)
  record.open(1, 'the prompt')
  return { record, folder, exists: (name: string) => existsSync(join(folder, name)), read: readIn(folder) }
}

const readIn = (folder: string) => (name: string) => readFileSync(join(folder, name), 'utf8')

describe('the record of a call', () => {
  it('keeps the prompt and every byte of both streams, and tells the last complaint', () => {
    const { record, read } = setScene()
    for (const text of ['{"a"', ':1}\n']) record.output(Buffer.from(text))
    for (const text of ['first\nsec', 'ond\n']) record.error(Buffer.from(text))
    expect(record.complaint()).toBe('second')
    record.close()
    expect([read('prompt.txt'), read('stream.ndjson'), read('stderr.log')]).toEqual([
      'the prompt',
      '{"a":1}\n',
      'first\nsecond\n',
    ])
  })

  it('has no file for complaints where there are none', () => {
    const { record, exists } = setScene()
    record.close()
    expect([record.complaint(), exists('stderr.log')]).toEqual(['', false])
  })

  it('goes on without a log of complaints when its folder was taken away', () => {
    const { record, folder } = setScene()
    rmSync(folder, { recursive: true })
    for (const text of ['first\n', 'second\n']) record.error(Buffer.from(text))
    record.output(Buffer.from('x'))
    record.close()
    expect([record.complaint(), existsSync(folder)]).toEqual(['second', false])
  })

  it('puts its files where others were quicker, and writes through no link of theirs', () => {
    const folder = scratch()
    const precious = join(scratch(), 'precious')
    writeFileSync(precious, 'precious')
    for (const name of ['prompt.txt', 'stream.ndjson']) symlinkSync(precious, join(folder, name))
    mkdirSync(join(folder, 'stderr.log', 'inner'), { recursive: true })
    const record = callRecord({ folderFor: () => folder, keep: (path, act) => act(path) })
    record.open(1, 'the prompt')
    record.output(Buffer.from('out'))
    record.error(Buffer.from('err'))
    record.close()
    const read = readIn(folder)
    expect([read('prompt.txt'), read('stream.ndjson'), read('stderr.log')]).toEqual([
      'the prompt',
      'out',
      'err',
    ])
    expect(readFileSync(precious, 'utf8')).toBe('precious')
  })

  it('has no files at all where the folder was taken away before they were made', () => {
    const project = scratch()
    const folder = join(project, 'gone', 'iter-001')
    const session = openSession(project, 'id', {}, () => {})
    const record = callRecord({
      folderFor: () => session.keep(folder, () => mkdirSync(folder)) ?? folder,
      keep: session.keep,
    })
    expect(record.open(1, 'the prompt')).toBe(null)
    record.output(Buffer.from('x'))
    record.error(Buffer.from('first\n'))
    record.close()
    expect([record.complaint(), existsSync(folder)]).toEqual(['first', false])
  })

  it.each([
    ['in one piece', ['123456789']],
    ['bit by bit', ['123', '456', '7', '89']],
    ['after it was full to the brim', ['123456', '789']],
  ])('ends a stream that is too long with a word about it, once: %s', (_, chunks) => {
    const { record, read } = setScene({ output: 6, errors: 6 })
    for (const text of chunks) {
      record.output(Buffer.from(text))
      record.error(Buffer.from(text))
    }
    record.close()
    const end = (name: string) => `123456\n[ralph: the rest of ${name} is left out, after 0.000006 MB]\n`
    expect(read('stream.ndjson')).toBe(end('standard output'))
    expect(read('stderr.log')).toBe(end('standard error'))
    expect(record.complaint()).toMatch(/9$/)
  })
})
