import { createColors } from 'picocolors'

export type Style = {
  colors: ReturnType<typeof createColors>
  marks: Marks
}

type Marks = {
  tool: string
  ok: string
  error: string
  todo: string
  active: string
  pending: string
  progress: string
  rest: string
  warn: string
}

const EMOJI: Marks = {
  tool: '⏺',
  ok: '✅',
  error: '❌',
  todo: '📋',
  active: '🔄',
  pending: '⏸️',
  progress: '📊',
  rest: '⎿',
  warn: '⚠️',
}

const TEXT: Marks = {
  tool: '*',
  ok: '[OK]',
  error: '[ERR]',
  todo: '[TODO]',
  active: '[>]',
  pending: '[ ]',
  progress: '[%]',
  rest: '|',
  warn: '[!]',
}

export const styleOf = (options: { color: boolean; emoji: boolean }): Style => ({
  colors: createColors(options.color),
  marks: options.emoji ? EMOJI : TEXT,
})
