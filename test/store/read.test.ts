import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  bytesAt,
  openRegularFile,
  readFirstLine,
  readNamedInput,
  readRegularFile,
  textAt,
} from '../../src/store/files/read.ts'

const folder = mkdtempSync(join(tmpdir(), 'ralph-read-'))
const at = (name: string) => join(folder, name)
const refusal = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('nothing was refused')
}

execFileSync('mkfifo', [at('pipe')])
mkdirSync(at('folder'))
writeFileSync(at('small'), 'abc')
writeFileSync(at('sparse'), '')
truncateSync(at('sparse'), 5 * 1024 ** 3)
for (const name of ['pipe', 'folder', 'small', 'sparse']) symlinkSync(at(name), at(`link-to-${name}`))
symlinkSync('/dev/zero', at('link-to-device'))

describe('what is in the place of a file', () => {
  const REFUSED = [
    ['pipe', 'is a pipe, not a regular file'],
    ['link-to-pipe', 'is a pipe, not a regular file'],
    ['folder', 'is a folder, not a regular file'],
    ['link-to-folder', 'is a folder, not a regular file'],
    ['link-to-device', 'is a device, not a regular file'],
    ['sparse', 'is larger than 1 MiB, the most that ralph reads of it'],
    ['link-to-sparse', 'is larger than 1 MiB, the most that ralph reads of it'],
  ] as const

  it.each(REFUSED)('is refused at once if it is a %s, with its path and the rule', (name, why) => {
    expect(refusal(() => readRegularFile(at(name), { limit: 1024 ** 2 }))).toBe(`${at(name)} ${why}`)
    expect(textAt(at(name), { limit: 1024 ** 2 })).toBeNull()
  })

  it('is refused if it is a socket', async () => {
    const server = createServer().listen(at('socket'))
    await new Promise(resolve => server.once('listening', resolve))
    try {
      expect(refusal(() => openRegularFile(at('socket')))).toBe(
        `${at('socket')} is a socket, not a regular file`,
      )
    } finally {
      server.close()
    }
  })

  it('is read through a link, but not where links are not wanted', () => {
    expect(textAt(at('link-to-small'), { limit: 10 })).toBe('abc')
    expect(bytesAt(at('link-to-small'), { limit: 10, noLink: true })).toBeNull()
  })
})

describe('the limit of bytes', () => {
  it('is the most that a file may have', () => {
    expect(textAt(at('small'), { limit: 3 })).toBe('abc')
    expect(textAt(at('small'), { limit: 2 })).toBeNull()
  })

  it('holds for a file whose size says nothing, such as one of the kernel’s', () => {
    expect(readRegularFile('/proc/self/status', { limit: 1024 ** 2 }).length).toBeGreaterThan(0)
    expect(bytesAt('/proc/self/status', { limit: 10 })).toBeNull()
  })

  it('holds for a device that a person names, which never ends', () => {
    expect(refusal(() => readNamedInput('/dev/zero', 1024))).toContain('is larger than 1024 bytes')
  })

  it('holds for a first line, and the rest of the file is not read', () => {
    appendFileSync(at('lines'), `${'x'.repeat(200_000)}\nrest`)
    expect(readFirstLine(at('lines'), 1024 ** 2)).toHaveLength(200_000)
    expect(readFirstLine(at('lines'), 1000)).toBeNull()
    expect(readFirstLine(at('sparse'), 1000)).toBeNull()
    expect(refusal(() => readFirstLine(at('pipe'), 1000))).toContain('is a pipe')
  })
})
