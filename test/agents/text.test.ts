import { expect, test } from 'vitest'
import { textParser } from '../../src/agents/shared/text.ts'
import { endedOf, exitOf, play } from './play.ts'

test('each line is the agent speaking, all of them are its answer', () => {
  expect(play(textParser(), ['one', '', 'two'])).toEqual([
    { type: 'text', text: 'one' },
    { type: 'text', text: '' },
    { type: 'text', text: 'two' },
    { type: 'ended', ok: true, text: 'one\n\ntwo' },
  ])
})

test.each([
  [3, 'exit code 3'],
  ['SIGTERM', 'killed by SIGTERM'],
])('exit %s is no good end', (how, error) => {
  expect(play(textParser(), ['words'], exitOf(how)).at(-1)).toEqual({
    type: 'ended',
    ok: false,
    text: 'words',
    error,
  })
})

test('of a long answer the end is kept, however it is cut into lines', () => {
  const lines = Array.from({ length: 40_000 }, (_, i) => `${i} ${'x'.repeat(80)}`)
  const { text } = endedOf(play(textParser(), lines))
  expect(text).toBe(lines.join('\n').slice(-1024 * 1024))
  expect(endedOf(play(textParser(), ['a', 'y'.repeat(5_000_000)])).text).toBe('y'.repeat(1024 * 1024))
})

test('a failure whose last words are a limit is one', () => {
  const words = ['Working.', "You've hit your session limit · resets 3:50pm (Asia/Tokyo)", '']
  expect(play(textParser(), words, exitOf(1)).slice(-2)).toMatchObject([
    { type: 'limited', note: words[1] },
    { type: 'ended', ok: false, error: 'exit code 1' },
  ])
})

test('an agent that writes about limits is not limited', () => {
  const limited = (lines: string[], exit: number) =>
    play(textParser(), lines, exitOf(exit)).some(e => e.type === 'limited')
  expect(limited(['Added the message: usage limit reached'], 0)).toBe(false)
  expect(limited(['usage limit reached', 'Segmentation fault'], 1)).toBe(false)
})

test('nothing follows the end', () => {
  const parser = textParser()
  play(parser, ['one'])
  expect(play(parser, ['two'])).toEqual([])
})
