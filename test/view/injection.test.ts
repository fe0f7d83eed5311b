import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.ts'
import { liveLine } from '../../src/view/live-line.ts'
import { type RunLinesOptions, runLines } from '../../src/view/run-lines.ts'
import { styleOf } from '../../src/view/style.ts'
import { CONTROLS, everyPlace, HOSTILE, UNENDED, UNSEEN } from './hostile.ts'
import { openTerminal } from './terminal.ts'

const shown = (more: { color: boolean; columns: number | null }): RunLinesOptions => ({
  style: styleOf({ color: more.color, emoji: true }),
  bounds: { maxLines: 12, maxChars: 2000 },
  streamAgent: true,
  limit: 10,
  clock: () => '14:05',
  columns: () => more.columns,
})

const WAYS = [
  { color: false, columns: null },
  { color: true, columns: null },
  { color: false, columns: 80 },
  { color: true, columns: 80 },
  { color: true, columns: 24 },
]

/** Ours: bold, dim, four colours, and what ends them. */
const OURS = /\x1b\[(?:1|2|22|31|32|33|36|39)m/g

const bareOf = (lines: string[], color: boolean) =>
  color ? lines.join('|').replace(OURS, '') : lines.join('|')

function expectOnlyText(lines: string[], color: boolean): void {
  const text = bareOf(lines, color)
  expect(CONTROLS.exec(text)).toBeNull()
  expect(UNSEEN.exec(text)).toBeNull()
  expect(text.indexOf('evil')).toBe(-1)
}

describe('nothing raw reaches a terminal, in colour or not, wide, narrow or none at all', () => {
  const show = (way: (typeof WAYS)[number], events: RunEvent[]) => events.flatMap(runLines(shown(way)))

  it.each(HOSTILE)('%s, in every place', (_, evil) => {
    for (const way of WAYS) {
      expectOnlyText(show(way, everyPlace(`before${evil}after`)), way.color)
      expectOnlyText(show(way, everyPlace(evil)), way.color)
    }
  })

  it.each(UNENDED.map(evil => [evil]))('%j, although it is never ended', evil => {
    for (const way of WAYS) {
      expectOnlyText(show(way, everyPlace(evil)), way.color)
      expectOnlyText(show(way, everyPlace(`${evil}\nnext line`)), way.color)
    }
  })

  it.each(HOSTILE)('%s, begun by one event and ended by the next', (_, evil) => {
    const half = evil.length > 1000 ? 2 : Math.ceil(evil.length / 2)
    for (const way of WAYS) {
      const lines = show(way, [...everyPlace(evil.slice(0, half)), ...everyPlace(evil.slice(half))])
      expect(CONTROLS.exec(bareOf(lines, way.color))).toBeNull()
    }
  })

  it.each(HOSTILE)('%s, in the live status', (_, evil) => {
    for (const way of WAYS) {
      const live = liveLine(shown(way))
      const lines = everyPlace(`a${evil}b`).map(event => {
        live.onEvent(event)
        return live.line(1000, 79)
      })
      expectOnlyText(lines, way.color)
      expect(lines.filter(Boolean).length).toBeGreaterThan(3)
    }
  })
})

describe('in a real terminal', () => {
  it.each([true, false])(
    'all of it leaves title, clipboard and every other line alone (colour: %s)',
    async color => {
      const terminal = openTerminal(80)
      const lines = runLines(shown({ color, columns: 80 }))
      const texts = [...HOSTILE.map(([, evil]) => `before ${evil} after`), ...UNENDED]
      const shows = texts.map(text => [...everyPlace(text).flatMap(lines), 'between', ''].join('\n'))
      await terminal.write(`\x1b]0;mine\x07first\n${shows.join('')}`)
      expect(terminal.heard).toEqual(['title mine'])
      const rows = terminal.rows()
      expect(rows[0]).toBe('first')
      expect(rows.filter(row => row === 'between')).toHaveLength(HOSTILE.length + UNENDED.length)
      expect(rows.join('\n')).not.toContain('evil')
    },
  )

  it('would notice: the same unfiltered does all that', async () => {
    const terminal = openTerminal(80)
    for (const [, evil] of HOSTILE) await terminal.write(`${evil}\n`)
    expect(terminal.heard).toContain('title evil')
    expect(terminal.heard).toContain('osc 52')
    expect(terminal.heard).toContain('bell')
  })
})
