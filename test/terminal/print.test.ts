import { describe, expect, it } from 'vitest'
import { print, printError, printFailure, safeIo, warn } from '../../src/terminal/print.ts'
import { scratch } from '../support/scratch.ts'
import { standIn } from '../support/stand-in.ts'

/** Sets the title, clears the screen in one byte, turns the text around, hides a character. */
const EVIL = 'a\x1b]0;title\x07\x9b2J\u202eb\u200b'
const SHOWN = 'a\\u{1b}]0;title\\u{7}\\u{9b}2J\\u{202e}b\\u{200b}'

function printed(act: () => void): string {
  const place = standIn({ argv: [], cwd: scratch('ralph-print-'), env: {} })
  try {
    act()
    return place.stdout() + place.stderr()
  } finally {
    place.leave()
  }
}

describe('what a terminal would obey is escaped by', () => {
  it.each<[string, (text: string) => void, string]>([
    ['print', print, `${SHOWN}\n`],
    ['printError', printError, `${SHOWN}\n`],
    ['warn', warn, `ralph: warning: ${SHOWN}\n`],
    ['fail', text => printFailure(new Error(text), false), `ralph: error: ${SHOWN}\n`],
    [
      'fail, with a stack',
      text => printFailure(Object.assign(new Error(), { stack: text }), true),
      `ralph: error: ${SHOWN}\n`,
    ],
    ['the streams of commands', text => void safeIo({}).stdout.write(text), SHOWN],
    ['the same for errors', text => void safeIo({}).stderr.write(text), SHOWN],
    ['the same in colour', text => void safeIo({ FORCE_COLOR: '1' }).stdout.write(text), SHOWN],
  ])('%s', (_, act, shown) => {
    expect(printed(() => act(EVIL))).toBe(shown)
  })
})

it('a warning and an error are one line, whatever they quote', () => {
  expect(printed(() => warn('a\nralph: error: b'))).toBe('ralph: warning: a\\u{a}ralph: error: b\n')
  expect(printed(() => printFailure(new Error('a\r\nb'), false))).toBe('ralph: error: a\\u{d}\\u{a}b\n')
})

it('ralph’s own colours stay, but no text in the colour of its ground', () => {
  const write = (text: string) => void safeIo({ FORCE_COLOR: '1' }).stdout.write(text)
  expect(printed(() => write('\x1b[31mred\x1b[39m'))).toBe('\x1b[31mred\x1b[39m')
  expect(printed(() => write('\x1b[8mhidden'))).toBe('\\u{1b}[8mhidden')
})
