import { isObject } from '../../core/json.ts'

/** A JSON object whose fields may hold anything. */
export type Fields = Record<string, unknown>

export const asObject = (value: unknown): Fields | null => (isObject(value) ? value : null)

export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A positive, finite number; anything else is 0. (`1e999` is valid JSON, and infinite.) */
export const asCount = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0
    ? Math.min(value, Number.MAX_SAFE_INTEGER)
    : 0

/** At most `max` characters, never half of a surrogate pair. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** At most the last `max` characters. */
export const cutStart = (text: string, max: number): string => (text.length <= max ? text : text.slice(-max))

const MAX_SUMMARY = 200

/** One line, short enough to fit beside a tool's name. */
export const shortLine = (text: string): string =>
  clip(
    clip(text, MAX_SUMMARY * 4)
      // Most spaces stay as they are; replacing each of them would take longer than all the rest.
      .replace(/\s{2,}|[^\S ]/g, ' ')
      .trim(),
    MAX_SUMMARY,
  )

/** The arguments that say most about a call, in order of preference. */
const SUMMARY_KEYS = [
  'command',
  'file_path',
  'filePath',
  'notebook_path',
  'path',
  'pattern',
  'query',
  'url',
  'skill',
  'subject',
  'description',
  'prompt',
]

/** A tool call in one line: the argument that says most about it. */
export function summarize(input: Fields | null): string {
  if (!input) return ''
  const toLine = (value: unknown) => shortLine(asText(value) || asList(value).map(asText).join(' '))
  for (const key of SUMMARY_KEYS) {
    const text = toLine(input[key])
    if (text) return text
  }
  return Object.values(input).map(toLine).find(Boolean) ?? ''
}

/** How much of one tool's output is passed on. */
const MAX_OUTPUT = 100_000

/** What a tool returned: a string, or blocks. A block without text is shown as its type. */
export function outputOf(content: unknown): string {
  if (typeof content === 'string') return clip(content, MAX_OUTPUT)
  const texts = asList(content).map(block => {
    const { type, text } = asObject(block) ?? {}
    return typeof text === 'string' ? text : `[${asText(type) || 'unknown'}]`
  })
  return clip(texts.join('\n'), MAX_OUTPUT)
}
