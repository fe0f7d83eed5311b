/** A JSON object whose fields nobody vouches for. */
export type Fields = Record<string, unknown>

export const asObject = (value: unknown): Fields | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null

export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const asText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A number that can be added up; anything else counts as nothing. (`1e999` is valid JSON, and infinite.) */
export const asCount = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0
    ? Math.min(value, Number.MAX_SAFE_INTEGER)
    : 0

/** At most `max` characters, never half of a surrogate pair. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max)
}

/** At most the last `max` characters. */
export const cutHead = (text: string, max: number): string => (text.length <= max ? text : text.slice(-max))

const SUMMARY = 200

/** One line, short enough to stand beside a tool's name. */
export const oneLine = (text: string): string =>
  cut(
    cut(text, SUMMARY * 4)
      .replace(/\s+/g, ' ')
      .trim(),
    SUMMARY,
  )

/** The arguments that tell most about a call, the most telling first. */
const TELLING = [
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

/** A tool call in one line: the one argument that tells most. */
export function summarize(input: Fields | null): string {
  if (!input) return ''
  const says = (value: unknown) => oneLine(asText(value) || asList(value).map(asText).join(' '))
  for (const key of TELLING) {
    const text = says(input[key])
    if (text) return text
  }
  return Object.values(input).map(says).find(Boolean) ?? ''
}

/** How much of one tool's output is worth handing on. */
const OUTPUT = 100_000

/** What a tool gave back: a string, or blocks of which those with text count. */
export function outputOf(content: unknown): string {
  if (typeof content === 'string') return cut(content, OUTPUT)
  const texts = asList(content).map(block => {
    const { type, text } = asObject(block) ?? {}
    return typeof text === 'string' ? text : `[${asText(type) || 'unknown'}]`
  })
  return cut(texts.join('\n'), OUTPUT)
}
