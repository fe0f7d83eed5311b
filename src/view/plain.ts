import type { RunEvent } from '../core/events.ts'
import type { RunState, StepId } from '../core/table.ts'
import { isOrdinary } from '../core/visible.ts'

/**
 * Makes an agent's text safe for a terminal: removes escape sequences, control characters, direction overrides and
 * invisible characters, and turns tabs into spaces.
 */
export function plain(text: string): string {
  if (isOrdinary(text)) return text
  return text
    .replace(SEQUENCES, '')
    .replace(/\t/g, '    ')
    .replace(INVISIBLE, '')
    .replace(LONE, '\ufffd')
    .replace(PILE, '$1')
}

/** The same in one line of at most `length` characters. */
export function plainLine(text: string, length = 200): string {
  const safe = plain(text.slice(0, length * 4))
  const line = (safe.includes('\n') ? safe.replace(/\s*\n\s*/g, ' ') : safe).trim()
  return line.length > length ? `${cutAt(line, length - 1)}…` : line
}

/** At most `length` characters, never half of a surrogate pair. */
export function cutAt(text: string, length: number): string {
  const code = text.charCodeAt(length - 1)
  return text.slice(0, code >= 0xd800 && code <= 0xdbff ? length - 1 : length)
}

/**
 * Control characters except newline, DEL, C1, line separators, annotations, and everything that Unicode calls ignorable:
 * bidi marks and overrides, zero-width, filler and tag characters, variation selectors. A selector that makes an emoji
 * of the character before it may stay.
 */
const INVISIBLE =
  /(?<!\p{Emoji})\ufe0f|(?!\ufe0f)[\p{Default_Ignorable_Code_Point}\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufff9-\ufffb]/gu

const LONE = /\p{Surrogate}/gu

/** So many marks on one character that they cover the lines around it. */
const PILE = /(\p{Mark}{8})\p{Mark}+/gu

/** OSC, DCS, APC, PM and SOS strings up to their end (or what interrupts them), CSI sequences, then any other escape; 7-bit and 8-bit. */
const SEQUENCES =
  /(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c|(?=[\x1b\n])|$)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?/g

/**
 * What begins every line about a step where several tasks are worked on at once; '' for other events. `flight`: steps that
 * began before anybody looked.
 */
export function taskLabels(flight: () => RunState['flight']): (event: RunEvent) => string {
  const taskOf = new Map<StepId, string>()
  return event => {
    if (!('id' in event) || typeof event.id !== 'number') return ''
    const begun = event.type === 'started' ? event.task : flight()[event.id]?.task
    if (begun !== undefined) taskOf.set(event.id, plainLine(begun))
    const task = taskOf.get(event.id)
    return task === undefined ? '' : `${task} │ `
  }
}
