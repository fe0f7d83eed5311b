import { expect, test } from 'vitest'
import { plainOutput, screenHash, watchScreen } from '../../src/runners/tmux/screen.ts'

/** A screen, and timers that fire when the test says so. */
function setScreen() {
  const timers = new Set<() => void>()
  let text: string | null = ''
  let changes = 0
  let looks = 0
  const watch = watchScreen(
    async () => {
      looks++
      return text
    },
    () => changes++,
    (ms, callback) => {
      expect(ms).toBe(2000)
      timers.add(callback)
      return () => timers.delete(callback)
    },
  )
  return {
    watch,
    timers,
    print(now: string | null) {
      text = now
      watch.printed()
    },
    /** Two seconds pass. */
    async pass() {
      for (const fire of [...timers]) {
        timers.delete(fire)
        fire()
      }
      await new Promise(setImmediate)
      return { looks, changes }
    },
  }
}

test('is looked at two seconds after output, and only then', async () => {
  const { print, pass, timers } = setScreen()
  expect(timers.size).toBe(0)
  print('a')
  print('b')
  expect(timers.size).toBe(1)
  // The first output is a change by itself: nothing was there before.
  expect(await pass()).toEqual({ looks: 1, changes: 2 })
  expect(timers.size).toBe(0)
  print('b')
  expect(await pass()).toEqual({ looks: 2, changes: 2 })
  print('c')
  expect(await pass()).toEqual({ looks: 3, changes: 3 })
  print(null)
  expect(await pass()).toEqual({ looks: 4, changes: 3 })
})

test('is not looked at once it is no longer watched', async () => {
  const { print, watch, pass, timers } = setScreen()
  print('a')
  watch.close()
  expect(timers.size).toBe(0)
  print('b')
  expect(await pass()).toEqual({ looks: 0, changes: 1 })
})

test('is judged by its last 20 lines', () => {
  const lines = Array.from({ length: 30 }, (_, n) => `line ${n}`)
  const hash = screenHash(lines.join('\n'))
  expect(screenHash(`${lines.with(9, 'other').join('\n')}   \n\n\n`)).toBe(hash)
  expect(screenHash(lines.with(10, 'other').join('\n'))).not.toBe(hash)
})

test.each([
  ['plain 漢字\ttab', 'plain 漢字\ttab'],
  ['\u001b[1;38;5;200mbold\u001b[m\u001b[K', 'bold'],
  ['\u001b]8;;https://x\u001b\\link\u001b]8;;\u0007 \u001b]0;title\u0007x', 'link x'],
  ['\u001bPq#0\u001b\\\u001b(B\u001b=\u001b7after\u001b', 'after'],
  [' 10%\r 50%\r100%\r', '100%'],
  ['typo\b\b\b\bword\u0007', 'word'],
  ['\u001b[', ''],
])('%j reads as %j', (output, text) => {
  expect(plainOutput(output)).toBe(text)
})
