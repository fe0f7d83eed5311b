import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/core/events.ts'
import { AGENTS, CLIS, type Cli, exitOf, linesOf, modeOf, play, recordingsOf } from './play.ts'

const CUTS = 8
const streams = CLIS.flatMap(cli =>
  recordingsOf(cli)
    .filter(file => modeOf(file) === 'stream')
    .map(file => ({ cli, file, lines: linesOf(cli, file) }))
    .filter(({ lines }) => lines.length > 0),
)
const cases = streams.map(stream => [stream.file, stream] as const)

/** The contract of a parser: one end, and nothing after it; every event is what its type promises. */
function kept(events: AgentEvent[]): AgentEvent {
  const last = events.at(-1)!
  if (events.filter(e => e.type === 'ended').length !== 1 || last.type !== 'ended')
    throw new Error(`not one end at the end: ${events.map(e => e.type).join(' ')}`)
  const odd = events.find(e => !isWhole(e))
  if (odd) throw new Error(`a broken event: ${JSON.stringify(odd)}`)
  return last
}

function isWhole(event: AgentEvent): boolean {
  const texts = (...values: unknown[]) => values.every(v => typeof v === 'string')
  const counts = (...values: unknown[]) => values.every(v => Number.isFinite(v) && (v as number) >= 0)
  switch (event.type) {
    case 'started':
      return [event.session, event.model, event.auth].every(v => v === undefined || texts(v))
    case 'text':
      return texts(event.text)
    case 'tool':
      return texts(event.id, event.name, event.summary) && event.id !== '' && event.summary.length <= 200
    case 'toolResult':
      return texts(event.id, event.output) && event.output.length <= 100_000 && typeof event.ok === 'boolean'
    case 'todo':
      return event.items.every(
        i => texts(i.content, i.activeForm) && ['pending', 'in_progress', 'completed'].includes(i.status),
      )
    case 'retrying':
    case 'unusable':
      return texts(event.note)
    case 'limited':
      return texts(event.note) && (event.resetsAt === undefined || counts(event.resetsAt))
    case 'ended': {
      const { usage, costUsd = 0, denials = 0, error } = event
      const spent = usage ? Object.values(usage) : []
      return (
        texts(event.text) &&
        counts(costUsd, denials, ...spent) &&
        (event.ok ? error === undefined : texts(error))
      )
    }
    case 'background':
      return counts(event.open)
    case 'answered':
      return true
    case 'unparsed':
      return texts(event.line) && event.line.length <= 2000
    default:
      return event satisfies never
  }
}

/** Whether a line is the one that tells how it went. */
function isLast(cli: Cli, line: string): boolean {
  const { type, part } = JSON.parse(line)
  if (cli === 'opencode') return type === 'step_finish' && part.reason === 'stop'
  return ['result', 'turn.completed', 'turn.failed'].includes(type)
}

describe('a stream that breaks off', () => {
  test.each(cases)('%s, after any line', (_, { cli, lines }) => {
    const ends = lines.findIndex(line => isLast(cli, line))
    for (let n = 0; n <= lines.length; n++) {
      const end = kept(play(AGENTS[cli].parser('stream'), lines.slice(0, n)))
      // Exit code 0 is no word of the agent: without its last line, no run ended well.
      if (ends < 0 || n <= ends) expect(end).toMatchObject({ ok: false })
    }
  })

  test.each(cases)('%s, within any line, or with a line torn in two', (_, { cli, lines }) => {
    lines.forEach((line, at) => {
      for (let cut = 0; cut < CUTS; cut++) {
        const place = Math.floor((line.length * cut) / CUTS)
        const before = lines.slice(0, at)
        const broken = play(AGENTS[cli].parser('stream'), [...before, line.slice(0, place)])
        // Between two results of one process, the first one counts if nothing was open any more.
        const hadAnswered = broken.filter(e => e.type !== 'unparsed').at(-2)?.type === 'answered'
        expect(kept(broken)).toMatchObject({ ok: hadAnswered && before.some(l => isLast(cli, l)) })
        kept(
          play(AGENTS[cli].parser('stream'), [
            ...before,
            line.slice(0, place),
            line.slice(place),
            ...lines.slice(at + 1),
          ]),
        )
      }
    })
  })
})

const stream = fc.constantFrom(...streams)
const exit = fc.constantFrom(exitOf(0), exitOf(1), exitOf('SIGKILL'), { code: null, signal: null })
/** Any JSON at all, with what trips the unwary. */
const json = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(
    '',
    '__proto__',
    'constructor',
    -1,
    1e308,
    [],
    {},
    [null],
    'usage limit reached|9999999999',
  ),
)

/** Every place in a JSON value where another could stand. */
function placesIn(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path]
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value)
  return [
    path,
    ...[...keys].flatMap(key => placesIn((value as Record<string, unknown>)[key], [...path, key])),
  ]
}

function put(value: unknown, [key, ...rest]: (string | number)[], other: unknown): unknown {
  if (key === undefined) return other
  const copy = structuredClone(value) as Record<string, unknown>
  copy[key] = put(copy[key], rest, other)
  return copy
}

/** A recorded line with one of its values exchanged. */
const exchanged = fc.tuple(stream, fc.nat(), fc.nat(), json).map(([{ cli, lines }, line, place, other]) => {
  const at = line % lines.length
  const message = JSON.parse(lines[at]!)
  const places = placesIn(message)
  const changed = JSON.stringify(put(message, places[place % places.length]!, other))
  return { cli, lines: lines.with(at, changed) }
})

/** A recorded line with a stretch of it overwritten. */
const scribbled = fc
  .tuple(stream, fc.nat(), fc.nat(), fc.nat(8), fc.string({ unit: 'binary', maxLength: 8 }))
  .map(([{ cli, lines }, line, place, length, rubbish]) => {
    const at = line % lines.length
    const old = lines[at]!
    const from = place % (old.length + 1)
    return { cli, lines: lines.with(at, old.slice(0, from) + rubbish + old.slice(from + length)) }
  })

const split = (words: string) => words.trim().split(/\s+/)
const CLAUDE_TYPES = 'system assistant user result rate_limit_event stream_event'
const TYPES: Record<Cli, string> = {
  claude: CLAUDE_TYPES,
  codex: 'thread.started turn.completed turn.failed error item.started item.updated item.completed',
  amp: CLAUDE_TYPES,
  opencode: 'step_start step_finish text tool_use reasoning error',
  gemini: 'init message tool_use tool_result error result',
  copilot: `
    session.tools_updated assistant.message tool.execution_start tool.execution_complete assistant.turn_retry
    session.error result`,
}
const KEYS = split(`
  subtype message content usage result errors error is_error permission_denials tool_result_meta
  tool_use_result parent_tool_use_id rate_limit_info status resetsAt item type id text items changes
  arguments api_error_status total_cost_usd input name part messageID sessionID callID tool state metadata
  exit output reason tokens cache cost data statusCode role delta severity stats todos tool_id tool_name
  parameters input_tokens total_tokens cached agentId toolCallId toolName success shellExecution exitCode
  code
`)
const WORDS = split(`
  init api_retry success rejected agent_message todo_list mcp_tool_call tool_use todowrite write_todos
  assistant tool-calls stop denied cancelled
`)
const { node } = fc.letrec(tie => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    json,
    fc.constantFrom(...WORDS),
    fc.dictionary(fc.constantFrom(...KEYS), tie('node'), { maxKeys: 6 }),
    fc.array(tie('node'), { maxLength: 3 }),
  ),
}))
/** A stream of objects that look like messages, but for what they hold. */
const invented = fc.constantFrom(...CLIS).chain(cli =>
  fc.record({
    cli: fc.constant(cli),
    lines: fc.array(
      fc
        .tuple(fc.constantFrom(...split(TYPES[cli])), fc.dictionary(fc.constantFrom(...KEYS), node))
        .map(([type, fields]) => JSON.stringify({ ...fields, type })),
      { maxLength: 6 },
    ),
  }),
)
const anything = fc.record({
  cli: fc.constantFrom(...CLIS),
  lines: fc.array(
    fc.oneof(
      json.map(value => JSON.stringify(value)),
      fc.string({ unit: 'binary' }),
    ),
  ),
})

test.each([
  ['with one of its values exchanged', exchanged],
  ['with a line scribbled over', scribbled],
  ['of messages that only look like some', invented],
  ['of anything at all', anything],
])('a stream %s is read to one end', (_, broken) => {
  fc.assert(
    fc.property(broken, exit, ({ cli, lines }, how) => {
      kept(play(AGENTS[cli].parser('stream'), lines, how))
      kept(play(AGENTS[cli].parser('text'), lines, how))
    }),
    { numRuns: 1000 },
  )
})

test('a line of a hundred thousand brackets is read to one end', () => {
  for (const agent of Object.values(AGENTS)) {
    kept(
      play(agent.parser('stream'), [
        '['.repeat(100_000),
        `{"type":"assistant","message":${'['.repeat(100_000)}`,
      ]),
    )
    const deep = `{"type":"result","result":${'['.repeat(5000)}${']'.repeat(5000)}}`
    kept(play(agent.parser('stream'), [deep]))
  }
})

/** Values that an agent's tools may return: deep ones, and long ones that slow patterns would stumble over. */
const EXCESSIVE: readonly (readonly [what: string, json: string])[] = [
  ['nested arrays', '['.repeat(50_000) + ']'.repeat(50_000)],
  ['nested objects', `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
  ['400,000 spaces', JSON.stringify(`x${' '.repeat(400_000)}x`)],
  ['400,000 line breaks', JSON.stringify('\n'.repeat(400_000))],
  ['40,000 opening tags', JSON.stringify('<response>'.repeat(40_000))],
  ['a limit that is told again and again', JSON.stringify("You've hit your limit resets ".repeat(20_000))],
]
const PLACES = 5

describe.each(EXCESSIVE)('%s in any place of a line', (_, json) => {
  test.each(CLIS)('of %s are read or passed over, and the stream still has one end', cli => {
    const [recorded] = streams.filter(found => found.cli === cli)
    if (!recorded) return
    const { lines } = recorded
    for (const [at, line] of lines.entries()) {
      if (at % Math.ceil(lines.length / PLACES) !== 0) continue
      const message = JSON.parse(line)
      const places = placesIn(message).filter(place => place.length > 0)
      for (let i = 0; i < places.length; i += Math.ceil(places.length / PLACES)) {
        const text = JSON.stringify(put(message, places[i]!, '@excess@')).replace('"@excess@"', () => json)
        kept(play(AGENTS[cli].parser('stream'), lines.with(at, text)))
      }
    }
  })
})
