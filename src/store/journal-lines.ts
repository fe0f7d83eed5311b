import type { RunEvent } from '../core/events.ts'

type Kind = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'any'
type Truth = Exclude<RunEvent['type'], 'prompted' | 'agent' | 'checking' | 'checked' | 'waiting' | 'asking'>

/** What an event of each kind must have for the rest of ralph to rely on it. `any`: null is a value, too. */
const FIELDS: Record<Truth, Record<string, Kind>> = {
  began: {
    v: 'number',
    id: 'string',
    project: 'string',
    workflow: 'string',
    limits: 'object',
    tasks: 'array',
    pins: 'object',
  },
  resumed: { limits: 'object' },
  baseline: { findings: 'array' },
  started: { id: 'number', task: 'string', stage: 'string', agent: 'any', n: 'number' },
  spawned: { id: 'number', ref: 'object' },
  ended: { id: 'number', how: 'string', exit: 'object', ms: 'number', result: 'object', seenOff: 'boolean' },
  settled: {
    id: 'number',
    task: 'string',
    stage: 'string',
    move: 'any',
    end: 'string',
    note: 'string',
    findings: 'array',
    patch: 'object',
    state: 'object',
    add: 'array',
    block: 'object',
  },
  committing: { id: 'number', parent: 'any', message: 'string' },
  committed: { id: 'number', by: 'string', from: 'any', to: 'string' },
  changed: { id: 'number', paths: 'array', count: 'number' },
  applied: { id: 'number' },
  edited: { by: 'string' },
  control: { hold: 'any' },
  told: { text: 'string' },
  stopped: { why: 'string' },
  finished: { result: 'string', proof: 'any', why: 'string' },
  undone: { saved: 'string' },
  warned: { note: 'string' },
}

/** An event from a line of a journal, or what is wrong with the line. */
export function eventIn(line: string): { event: RunEvent } | { wrong: string } {
  const value = parse(line)
  if (kindOf(value) !== 'object') return { wrong: 'is not a journal event' }
  const found = value as Record<string, unknown>
  const { type } = found
  if (typeof type !== 'string' || typeof found.at !== 'number') return { wrong: 'is not a journal event' }
  if (!Object.hasOwn(FIELDS, type))
    return { wrong: `is a journal event of an unknown kind, "${type}"; a newer ralph may have written it` }
  const event = found as RunEvent
  // Its fields are another ralph's affair; whoever opens the run says so.
  if (event.type === 'began' && typeof event.v === 'number' && event.v !== 1) return { event }
  const lacks = Object.entries(FIELDS[type as Truth]).find(([name, kind]) => !fits(found[name], kind))
  return lacks ? { wrong: `is not a journal event: "${type}" without a proper "${lacks[0]}"` } : { event }
}

const fits = (value: unknown, kind: Kind): boolean =>
  kind === 'any' ? value !== undefined : kindOf(value) === kind

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
