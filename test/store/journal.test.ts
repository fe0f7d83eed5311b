import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { journalPath, openJournal, readJournal } from '../../src/store/journal.ts'
import { scratch } from '../support/scratch.ts'

/** In place: the same file, as long as it was. */
const edit = (path: string) =>
  writeFileSync(path, readFileSync(path, 'utf8').replace('mine', 'ours'), { flag: 'r+' })

/** Longer than the times of a file are coarse. */
const aTick = () => delay(20)

const warned = (note: string): RunEvent => ({ type: 'warned', at: 1, note })

describe('a journal', () => {
  it('gives back what was appended, in order', () => {
    const dir = scratch()
    const journal = openJournal(dir)
    const events = [warned('one'), warned('two\nlines'), warned('three ✓')]
    for (const event of events) journal.append(event)
    journal.close()
    expect(readJournal(dir)).toEqual(events)
  })

  it('is for its owner alone', () => {
    const dir = scratch()
    openJournal(dir).close()
    expect(statSync(journalPath(dir)).mode & 0o777).toBe(0o600)
  })

  it('cut at any byte, keeps every whole line and goes on after it', () => {
    const dir = scratch()
    const journal = openJournal(dir)
    const events = Array.from({ length: 5 }, (_, i) => warned(`event ${i} äöü`))
    for (const event of events) journal.append(event)
    journal.close()
    const whole = readFileSync(journalPath(dir))
    fc.assert(
      fc.property(fc.nat(whole.length), at => {
        writeFileSync(journalPath(dir), whole.subarray(0, at))
        const kept = whole.subarray(0, at).filter(byte => byte === 10).length
        expect(readJournal(dir)).toEqual(events.slice(0, kept))
        const again = openJournal(dir)
        again.append(warned('after'))
        again.close()
        expect(readJournal(dir)).toEqual([...events.slice(0, kept), warned('after')])
      }),
    )
  })

  it('names the line that is no event, and is left as it is', () => {
    const dir = scratch()
    writeFileSync(
      journalPath(dir),
      `${JSON.stringify(warned('fine'))}\nrubbish\n${JSON.stringify(warned('fine'))}\n`,
    )
    const before = readFileSync(journalPath(dir), 'utf8')
    expect(() => readJournal(dir)).toThrow(`${journalPath(dir)}:2 is not a journal event`)
    expect(readFileSync(journalPath(dir), 'utf8')).toBe(before)
  })

  it.each([
    ['{"type":"settled","at":1}', 'is not a journal event: "settled" without a proper "id"'],
    ['{"type":"warned","at":1,"note":7}', 'is not a journal event: "warned" without a proper "note"'],
    [
      '{"type":"resumed","at":1,"limits":null}',
      'is not a journal event: "resumed" without a proper "limits"',
    ],
    ['{"type":"teleported","at":1}', 'of an unknown kind, "teleported"; a newer ralph may have written it'],
    ['{"type":"constructor","at":1}', 'of an unknown kind, "constructor"'],
    ['{"type":"warned","note":"when?"}', 'is not a journal event'],
    ['null', 'is not a journal event'],
  ])('with the line %s is named with what is wrong there', (line, what) => {
    const dir = scratch()
    writeFileSync(journalPath(dir), `${JSON.stringify(warned('fine'))}\n${line}\n`)
    expect(() => readJournal(dir)).toThrow(`${journalPath(dir)}:2 `)
    expect(() => readJournal(dir)).toThrow(what)
    expect(() => readJournal(dir)).toThrow('; the run cannot be resumed')
  })

  it.each([
    ['appended to', (path: string) => appendFileSync(path, '{"type":"settled","at":1}\n')],
    ['truncated', (path: string) => truncateSync(path, 3)],
    [
      'replaced',
      (path: string) => {
        const text = readFileSync(path)
        rmSync(path)
        writeFileSync(path, 'x') // takes the freed number, so that the next file cannot have it
        writeFileSync(`${path}.new`, text)
        rmSync(path)
        execFileSync('mv', [`${path}.new`, path])
      },
    ],
    ['edited, its size kept', (path: string) => edit(path)],
    [
      'edited, its size and time kept',
      (path: string) => {
        const { atime, mtime } = statSync(path)
        edit(path)
        utimesSync(path, atime, mtime)
      },
    ],
  ])('that was %s by someone else is not written to again', async (_, meddle) => {
    const dir = scratch()
    const journal = openJournal(dir)
    journal.append(warned('mine'))
    await aTick()
    meddle(journalPath(dir))
    const found = readFileSync(journalPath(dir), 'utf8')
    expect(() => journal.append(warned('more'))).toThrow('was changed by someone else')
    expect(readFileSync(journalPath(dir), 'utf8')).toBe(found)
  })

  it('that was looked after, but says what it said, is written on', async () => {
    const dir = scratch()
    const journal = openJournal(dir)
    journal.append(warned('mine'))
    await aTick()
    utimesSync(journalPath(dir), 1, 1)
    journal.append(warned('more'))
    expect(readJournal(dir)).toHaveLength(2)
  })

  it('that was removed is missed', () => {
    const dir = scratch()
    const journal = openJournal(dir)
    rmSync(journalPath(dir))
    expect(() => journal.append(warned('more'))).toThrow('was removed')
    expect(existsSync(journalPath(dir))).toBe(false)
  })
})

describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('on a full disk', () => {
  it('says so, and what was there stays whole', ({ skip }) => {
    const dir = scratch()
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', dir], { stdio: 'ignore' })
    } catch {
      skip('needs a small file system of its own, and mounting one is not allowed here')
    }
    try {
      const journal = openJournal(dir)
      let kept = 0
      expect(() => {
        for (; kept < 10_000; kept++) journal.append(warned('x'.repeat(1000)))
      }).toThrow(/disk is full|ENOSPC/)
      journal.close()
      expect(kept).toBeGreaterThan(0)
      expect(readJournal(dir)).toHaveLength(kept)
      expect(readFileSync(journalPath(dir)).at(-1)).toBe(10)
    } finally {
      execFileSync('umount', [dir])
    }
  })
})
