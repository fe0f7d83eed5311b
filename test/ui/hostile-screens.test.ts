import { describe, expect, it } from 'vitest'
import type { Finding } from '../../src/core/events.ts'
import { isOrdinary } from '../../src/core/visible.ts'
import { outputTail } from '../../src/ui/output-tail.ts'
import { renderer } from '../../src/ui/terminal.ts'
import { liveLine } from '../../src/view/live-line.ts'
import { morningOf } from '../../src/view/morning/morning.ts'
import { nightOf } from '../../src/view/morning/night.ts'
import type { Size } from '../../src/view/screens/layout.ts'
import type { Model } from '../../src/view/screens/model.ts'
import { screenLines } from '../../src/view/screens/screen.ts'
import type { UiState } from '../../src/view/screens/ui-state.ts'
import { type Style, screenStyle } from '../../src/view/style.ts'
import { plain } from '../../src/view/text/plain.ts'
import { widthOf } from '../../src/view/text/width.ts'
import { CONTROLS, everyPlace, HOSTILE, UNENDED, UNSEEN } from '../view/hostile.ts'
import { journal, taskState } from '../view/report-journal.ts'
import {
  factsOf,
  item,
  LARGE,
  modelWith,
  openScreen,
  rowWith,
  runWith,
  SMALL,
} from '../view/screens/scene.ts'
import { openTerminal } from '../view/terminal.ts'

/** All that the renderer writes beside text: marks of a frame, where a line begins, what is cleared, and no colour. */
const FRAMING = /\x1b\[(?:\?2026[hl]|\d+;1H|2[JK]|0m)/g
/** Bold, dim, inverse, four colours, and what ends them. */
const COLOURS = /\x1b\[(?:1|2|7|22|27|31|32|33|36|39)m/g
/** Emoji of several may keep what joins them. */
const IN_EMOJI = /(?<=\p{Extended_Pictographic})\u200d(?=\p{Extended_Pictographic})/gu

const ENTER = '\r'
const DOWN = '\x1b[B'
const pasted = (text: string) => `\x1b[200~${text}\x1b[201~`

/** A run in which everything that somebody else wrote is this text. */
function hostileModel(text: string, style: Style, columns: number): Model {
  const finding: Finding = { check: text, verdict: 'fail', note: text, log: text }
  const { events } = journal({
    tasks: [
      ['#1', text],
      [text, text],
    ],
  })
    .iterate({ task: '#1', agent: text, note: text, findings: [finding], move: 'fail', usd: 1 })
    .iterate({ task: text, agent: text, note: text, move: 'ask', to: taskState('blocked', text) })
    .add({ type: 'changed', id: 2, paths: [text], count: 1 })
    .add({ type: 'instructed', text })
    .add({ type: 'denied', id: 2, host: text })
    .start({ task: '#1', agent: text })
  const facts = factsOf(events, { ...factsOf(journal().events).workflow, command: text, subject: text })
  const period = { since: 0, now: events.at(-1)!.at, words: 'since yesterday' }
  const traits = { command: text, listed: true, subjectOf: () => ['goal', text] as [string, string] }
  const nights = [false, true].map(live => nightOf({ name: text, events, live, traits }, period))
  const tail = outputTail(style, () => facts)
  const live = liveLine({ style, limit: 3, clock: () => '14:05', state: () => facts.state })
  for (const event of everyPlace(text)) {
    tail.add(event)
    if (event.type !== 'finished') live.onEvent(event)
  }
  const row = rowWith(facts, { name: text, project: text, isWorker: true })
  const run = runWith(facts, {
    row,
    items: [
      item('#1', text, { status: 'in_progress', activeForm: text, blockedBy: [text] }),
      item(text, text, { status: 'completed' }),
      item('#3', text, { blockedBy: [text, '#1'] }),
    ],
    output: tail.view(columns, false),
    live: live.line(0, columns),
    checks: [
      { check: text, state: 'fail', note: text, log: text },
      { check: text, state: 'running', note: text, log: text },
    ],
    // The lines of a log are made plain where it is read.
    log: { path: text, lines: plain(text).split('\n') },
    folderOf: () => text,
    editable: text,
    auth: text,
    model: text,
    goOn: text,
  })
  return modelWith({
    rows: [row, { ...row, id: 'other', needs: [] }],
    run,
    morning: morningOf(nights, period, [{ run: text, why: text }]),
  })
}

/** What a person may do from the beginning of each screen: a frame is drawn after each key. */
const inOverview = (text: string): string[][] => [
  ['x'],
  ['K'],
  ['?'],
  ['m', '\x1b[6~', 'u'],
  ['/', pasted(text), ENTER],
]
const inRun = (text: string): string[][] => [
  ...['1', '2', '3', '4', '5', '6'].map(panel => [panel, DOWN, ENTER]),
  ...['S', 'a', 'A'].map(key => ['2', key]),
  ['o', '\x14', '/', pasted(text), ENTER, 'i', pasted(text)],
]

/** Everything that was drawn while somebody looked at all of a hostile run, and the last frame of it. */
function drawAll(text: string, size: Size, color: boolean) {
  const style = screenStyle(color)
  const model = hostileModel(text, style, size.columns)
  let written = ''
  let last: string[] = []
  const frames = renderer({
    write: more => {
      written += more
    },
  })
  const show = (shown: Model, ui: UiState) => {
    last = screenLines(shown, ui, size, style)
    expect(last).toHaveLength(size.rows)
    frames.draw(last)
  }
  for (const [shown, ways] of [
    [{ ...model, run: null }, inOverview(text)],
    [model, inRun(text)],
  ] as const) {
    for (const keys of ways) {
      const screen = openScreen(shown, { size })
      for (const key of keys) {
        screen.type(key)
        show(shown, screen.ui())
      }
    }
    show(shown, { ...openScreen(shown, { size }).ui(), message: text })
  }
  return { written, last }
}

/** The lines as they are on a terminal. */
const bare = (line: string) => line.replace(/\x1b\[[0-9;]*m/g, '').trimEnd()

async function expectOnlyFrames({ written, last }: ReturnType<typeof drawAll>, size: Size, color: boolean) {
  const text = written
    .replace(FRAMING, '')
    .replace(color ? COLOURS : '', '')
    .replace(IN_EMOJI, '')
  expect(CONTROLS.exec(text)).toBeNull()
  expect(UNSEEN.exec(text)).toBeNull()
  const terminal = openTerminal(size.columns, size.rows)
  const modes = terminal.modes()
  // As it is while the screen is open: no line is broken.
  await terminal.write(`\x1b[?7l${written}`)
  expect(terminal.heard).toEqual([])
  expect(terminal.modes()).toEqual({ ...modes, wraparoundMode: false })
  const screen = terminal.screen()
  for (const [row, line] of last.entries()) {
    const wanted = bare(line)
    if (isOrdinary(wanted) && widthOf(wanted) <= size.columns) expect(screen[row]).toBe(wanted)
  }
}

const EVERY: readonly (readonly [string, string])[] = [
  ...HOSTILE,
  ...UNENDED.map(evil => [JSON.stringify(evil), evil] as const),
]

describe('nothing raw reaches the terminal through the screens, and every line stays in its place', () => {
  it.each(EVERY)('%s, in every text of every view', async (_, evil) => {
    await expectOnlyFrames(drawAll(`before${evil}after`, SMALL, false), SMALL, false)
    await expectOnlyFrames(drawAll(evil, LARGE, true), LARGE, true)
  })

  it.each(EVERY)('%s, in a line that nobody made plain before it is drawn', async (_, evil) => {
    let written = ''
    const frames = renderer({
      write: more => {
        written += more
      },
    })
    const size = { columns: 80, rows: 3 }
    for (const text of [`before${evil}after`, evil]) frames.draw(['above', text, 'below'])
    await expectOnlyFrames({ written, last: ['above', '\u202e', 'below'] }, size, true)
  })

  it('has more than fifty of them', () => {
    expect(new Set(EVERY.map(([, evil]) => evil)).size).toBeGreaterThan(50)
  })
})
