import type { RunEvent } from '../core/events.ts'
import { runLines } from '../view/run-lines.ts'
import { type Style, styleOf } from '../view/style.ts'

export type Loudness = { json: boolean; quiet: boolean; streamAgent: boolean; limit: number | null }

const BOUNDS = { maxLines: 12, maxChars: 2000 }

export const terminalStyle = (stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Style =>
  styleOf({ color: Boolean(stream.isTTY) && !env.NO_COLOR && env.TERM !== 'dumb', emoji: true })

/** Shows a run's events on standard output: lines for people, or NDJSON for programs. */
export function consoleListener(
  out: NodeJS.WriteStream,
  env: NodeJS.ProcessEnv,
  loud: Loudness,
): (event: RunEvent) => void {
  // A reader that went away (`| head`) is no reason to end a run that someone counts on.
  out.on('error', () => {})
  const write = gather(out)
  if (loud.json) return event => write(JSON.stringify(event))
  const clock = (at: number) => new Date(at).toLocaleTimeString()
  const lines = runLines({
    style: terminalStyle(out, env),
    bounds: BOUNDS,
    streamAgent: loud.streamAgent,
    limit: loud.limit,
    clock,
  })
  const loudTypes: ReadonlySet<RunEvent['type']> = new Set(['finished', 'stopped', 'warned'])
  return event => {
    const shown = lines(event)
    if (shown.length > 0 && (!loud.quiet || loudTypes.has(event.type))) write(shown.join('\n'))
  }
}

const FLUSH_AT = 64 * 1024

/** Lines of one turn of the event loop go out together: a flood of events must not become a flood of system calls. */
function gather(out: NodeJS.WriteStream): (line: string) => void {
  let waiting = ''
  const flush = () => {
    if (waiting !== '') out.write(waiting)
    waiting = ''
  }
  return line => {
    if (waiting === '') setImmediate(flush)
    waiting += `${line}\n`
    if (waiting.length > FLUSH_AT) flush()
  }
}
