import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { pinFolder } from '../../src/store/files/pinned.ts'
import { openProgressLog } from '../../src/store/progress-log.ts'
import { scratch } from '../support/scratch.ts'

const told = (n: number): RunEvent => ({
  type: 'instructed',
  at: n,
  text: `\n## Entry ${n}\nand its words\n`,
})
const EVENTS = [1, 2, 3].map(told)
const WHOLE = EVENTS.map(event => (event.type === 'instructed' ? event.text : '')).join('')

function setLog(past: RunEvent[] = []) {
  const project = join(scratch(), '.')
  const root = pinFolder(project)
  const path = join(project, 'session', 'progress.txt')
  const journal = [...past]
  const notes = () => (event: RunEvent) => (event.type === 'instructed' ? event.text : '')
  const warnings: string[] = []
  const warn = (note: string) => warnings.push(note)
  const open = () => {
    const hear = openProgressLog({ path, root, journal: () => journal, notes, warn }, [...journal])
    return (event: RunEvent) => {
      journal.push(event)
      hear(event)
    }
  }
  return { project, path, open, warnings, text: () => readFileSync(path, 'utf8') }
}

it('has an entry for every event that gives one', () => {
  const log = setLog()
  const hear = log.open()
  for (const event of EVENTS) hear(event)
  hear({ type: 'applied', at: 4, id: 1 })
  expect(log.text()).toBe(WHOLE)
})

it('is made whole when it is opened, wherever it was cut off', () => {
  const log = setLog(EVENTS)
  log.open()
  expect(log.text()).toBe(WHOLE)
  for (let cut = 2; cut <= WHOLE.length; cut++) {
    // One character of an entry looks like the end of the one before.
    if (WHOLE.slice(0, cut).endsWith('\n\n')) continue
    writeFileSync(log.path, WHOLE.slice(0, cut))
    log.open()
    expect(log.text()).toBe(WHOLE)
  }
})

it('is told again from its beginning when it was removed', () => {
  const log = setLog()
  const hear = log.open()
  hear(EVENTS[0]!)
  hear(EVENTS[1]!)
  rmSync(join(log.project, 'session'), { recursive: true })
  hear(EVENTS[2]!)
  expect(log.text()).toBe(WHOLE)
})

it.each([
  ['overwritten', () => 'DONE\n'],
  ['overwritten with something longer', (text: string) => 'x'.repeat(2 * text.length)],
  ['emptied', () => ''],
  ['cut', (text: string) => text.slice(0, -3)],
  ['changed in its beginning', (text: string) => text.replace('Entry 1', 'Entry 7')],
])('is made whole with one warning when it was %s', (_, spoil) => {
  const log = setLog()
  const hear = log.open()
  hear(EVENTS[0]!)
  writeFileSync(log.path, spoil(log.text()))
  hear(EVENTS[1]!)
  hear(EVENTS[2]!)
  expect(log.text()).toBe(WHOLE)
  expect(log.warnings).toEqual(['progress.txt was overwritten; it is restored from the journal'])
})

it('is made whole in its own place when it became a link to another file', () => {
  const log = setLog()
  const hear = log.open()
  hear(EVENTS[0]!)
  const other = join(log.project, 'other')
  writeFileSync(other, 'mine')
  rmSync(log.path)
  symlinkSync(other, log.path)
  hear(EVENTS[1]!)
  hear(EVENTS[2]!)
  expect([log.text(), readFileSync(other, 'utf8')]).toEqual([WHOLE, 'mine'])
})

it('keeps what others wrote at its end', () => {
  const log = setLog()
  const hear = log.open()
  hear(EVENTS[0]!)
  writeFileSync(log.path, `${log.text()}A note\n`)
  hear(EVENTS[1]!)
  expect(log.text()).toMatch(/Entry 1\nand its words\nA note\n\n## Entry 2\n/)
  expect(log.warnings).toEqual([])
})

it('does not make the project anew when that is gone', () => {
  const log = setLog()
  const hear = log.open()
  hear(EVENTS[0]!)
  rmSync(log.project, { recursive: true })
  hear(EVENTS[1]!)
  expect(existsSync(log.project)).toBe(false)
})
