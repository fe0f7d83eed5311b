import { createHash } from 'node:crypto'

/** How often a screen is looked at while something is printed to it. */
const LOOK_MS = 2000

/** How much of it: people look at the end, too. */
const LAST_LINES = 20

export type ScreenWatch = {
  /** Something was printed. */
  printed(): void
  close(): void
}

/**
 * Reports when a screen changes. It is looked at only after something was printed, at most every two seconds. While
 * nothing is printed there is no timer. `capture`: the text on the screen. Null if it cannot be seen now.
 */
export function watchScreen(
  capture: () => Promise<string | null>,
  onChange: () => void,
  after: (ms: number, callback: () => void) => () => void = afterTimer,
): ScreenWatch {
  let isFirst = true
  let isNew = false
  let isClosed = false
  let seen: string | null = null
  let cancel: (() => void) | null = null

  async function compare(): Promise<void> {
    isNew = false
    const text = await capture()
    cancel = null
    if (isClosed) return
    if (text !== null) {
      const now = screenHash(text)
      if (now !== seen) onChange()
      seen = now
    }
    if (isNew) captureSoon()
  }

  const captureSoon = () => {
    cancel ??= after(LOOK_MS, () => void compare())
  }

  return {
    printed() {
      if (isClosed) return
      isNew = true
      if (isFirst) onChange()
      isFirst = false
      captureSoon()
    },
    close() {
      isClosed = true
      cancel?.()
    },
  }
}

/** Stands for what the end of a screen shows. The text has no escapes. */
export function screenHash(text: string): string {
  const last = text.trimEnd().split('\n').slice(-LAST_LINES)
  return createHash('md5')
    .update(last.map(line => line.trimEnd()).join('\n'))
    .digest('hex')
}

function afterTimer(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms)
  return () => clearTimeout(timer)
}

const ESC = '\u001b'

/** What a terminal obeys: control sequences, strings (titles, links, images), and other escapes. */
const SEQUENCES = new RegExp(
  [
    `${ESC}\\[[0-?]*[ -/]*[@-~]?`,
    `${ESC}[\\]PX^_k][^\\u0007${ESC}]*(?:\\u0007|${ESC}\\\\)?`,
    `${ESC}[ -/]*[0-~]?`,
  ].join('|'),
  'g',
)

/** Control characters but tab, backspace and carriage return. */
const CONTROLS = /[\u0000-\u0007\u000a-\u000c\u000e-\u001f\u007f]/g

/** One line of a terminal's output as a person reads it: without escapes, and only what was written last. */
export function plainOutput(line: string): string {
  if (!NOT_PLAIN.test(line)) return line
  const text = line.replace(SEQUENCES, '').replace(CONTROLS, '')
  const written = text.includes('\r') ? (text.split('\r').findLast(part => part !== '') ?? '') : text
  return written.includes('\b') ? withoutErased(written) : written
}

const NOT_PLAIN = /[\u0000-\u0008\u000a-\u001f\u007f]/

function withoutErased(text: string): string {
  const chars: string[] = []
  for (const char of text) {
    if (char === '\b') chars.pop()
    else chars.push(char)
  }
  return chars.join('')
}
