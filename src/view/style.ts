import { createColors } from 'picocolors'

export type Style = {
  colors: ReturnType<typeof createColors>
  marks: Marks
}

type Marks = {
  tool: string
  ok: string
  error: string
  pass: string
  fail: string
  todo: string
  active: string
  pending: string
  progress: string
  rest: string
  warn: string
  /** The frames of the spinner. */
  busy: readonly string[]
}

const EMOJI: Marks = {
  tool: '⏺',
  ok: '✅',
  error: '❌',
  pass: '✓',
  fail: '✗',
  todo: '📋',
  active: '🔄',
  pending: '⏸️',
  progress: '📊',
  rest: '⎿',
  warn: '⚠️',
  busy: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
}

const TEXT: Marks = {
  tool: '*',
  ok: '[OK]',
  error: '[ERR]',
  pass: '[OK]',
  fail: '[ERR]',
  todo: '[TODO]',
  active: '[>]',
  pending: '[ ]',
  progress: '[%]',
  rest: '|',
  warn: '[!]',
  busy: ['-', '\\', '|', '/'],
}

/** One column each, for screens whose columns must stay in line, and without colour as clear as with it. */
const SYMBOLS: Marks = {
  ...TEXT,
  tool: '•',
  ok: '✓',
  error: '✗',
  pass: '✓',
  fail: '✗',
  todo: '',
  active: '●',
  pending: '○',
  progress: '',
  rest: '│',
  warn: '!',
}

export const screenStyle = (color: boolean): Style => ({ colors: createColors(color), marks: SYMBOLS })

export const styleOf = (options: { color: boolean; emoji: boolean }): Style => ({
  colors: createColors(options.color),
  marks: options.emoji ? EMOJI : TEXT,
})
