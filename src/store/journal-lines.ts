import type { RunEvent } from '../core/events.ts'
import { OWN_DEPTH, parseJson } from '../core/json.ts'

/** The format of the journal. A change that the readers of journals would not survive gets the next number. */
export const FORMAT = 2

type Kind = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'any'
type JournaledType = Exclude<
  RunEvent['type'],
  'prompted' | 'agent' | 'checking' | 'checked' | 'waiting' | 'asking'
>

/** The fields that each event must have, because the code relies on them. `any` includes null. */
const FIELDS: Record<JournaledType, Record<string, Kind>> = {
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
  ended: {
    id: 'number',
    how: 'string',
    exit: 'object',
    ms: 'number',
    result: 'object',
    stoppedByRalph: 'boolean',
  },
  asked: { id: 'number', role: 'string', agent: 'string', ms: 'number' },
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
  opening: { workspace: 'string', task: 'string', dir: 'string', branch: 'string', base: 'string' },
  opened: { workspace: 'string', start: 'object' },
  merging: { id: 'number', workspace: 'string', onto: 'string', tip: 'string' },
  rebased: { id: 'number', workspace: 'string', base: 'string', tip: 'string' },
  landing: { id: 'number', workspace: 'string', from: 'string', to: 'string' },
  merged: { id: 'number', workspace: 'string', from: 'string', to: 'string' },
  closed: { workspace: 'string' },
  edited: { by: 'string' },
  control: { hold: 'any' },
  limits: { limits: 'object' },
  noted: { workflow: 'string', key: 'string', value: 'any' },
  instructed: { text: 'string' },
  stopped: { why: 'string' },
  finished: { result: 'string', proof: 'any', why: 'string' },
  undone: { saved: 'string' },
  warned: { note: 'string' },
  denied: { host: 'string' },
  refused: { path: 'string' },
  allowed: { host: 'string' },
  doubted: { id: 'number', check: 'string', why: 'any' },
}

/** The event in a line of a journal, or what is wrong with the line. */
export function parseEvent(line: string): { event: RunEvent } | { wrong: string } {
  const value = parse(line)
  if (kindOf(value) !== 'object') return { wrong: 'is not a journal event' }
  const fields = value as Record<string, unknown>
  const { type } = fields
  if (typeof type !== 'string' || typeof fields.at !== 'number') return { wrong: 'is not a journal event' }
  if (!Object.hasOwn(FIELDS, type))
    return { wrong: `is a journal event of an unknown kind, "${type}"; a newer ralph may have written it` }
  const event = fields as RunEvent
  if (event.type === 'began' && event.v !== FORMAT) return { wrong: 'is of another version of ralph' }
  const wrong = Object.entries(FIELDS[type as JournaledType]).find(
    ([name, kind]) => !fits(fields[name], kind),
  )
  return wrong ? { wrong: `is not a journal event: "${type}" without a proper "${wrong[0]}"` } : { event }
}

/** What the journals of all versions begin with. */
export type Beginning = { v: number; at: number; id: string; project: string }

/** The beginning of a run in the first line of its journal. Null if it is none. */
export function parseBeginning(line: string): Beginning | null {
  const value = parse(line) as Record<string, unknown> | null
  if (kindOf(value) !== 'object' || value?.type !== 'began') return null
  const { v, at, id, project } = value
  if (typeof v !== 'number' || typeof at !== 'number') return null
  return typeof id === 'string' && typeof project === 'string' ? { v, at, id, project } : null
}

const fits = (value: unknown, kind: Kind): boolean =>
  kind === 'any' ? value !== undefined : kindOf(value) === kind

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

function parse(line: string): unknown {
  try {
    return parseJson(line, OWN_DEPTH)
  } catch {
    return null
  }
}
