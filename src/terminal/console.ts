import type { RunEvent } from '../core/events.ts'
import type { Bounds } from '../view/excerpt.ts'
import { liveLine } from '../view/live-line.ts'
import { runLines, type Shown } from '../view/run-lines.ts'
import { type Style, styleOf } from '../view/style.ts'
import { clockTime, stampTime } from '../view/time.ts'
import { columnsOf, liveStatus, type Out } from './live-status.ts'

/** The section `output` of the settings. */
export type OutputSettings = Bounds & {
  emoji: boolean
  color: 'auto' | 'always' | 'never'
  timestamps: boolean
}

export type Loudness = {
  json: boolean
  quiet: boolean
  streamAgent: boolean
  limit: number | null
  /** Absent: as if nothing was set. */
  output?: OutputSettings
  list?: Shown['list']
  summary?: Shown['summary']
  titleOf?: Shown['titleOf']
  /** The run's end in lines. */
  ending?: Shown['ending']
  /** What ends a wait, in words. */
  key?: string | null
}

/** Hears every event of a run. Close it when the run is over, however it ended. */
export type ConsoleListener = ((event: RunEvent) => void) & {
  close(): void
  /** Null while the reader keeps up. Otherwise it resolves when all was taken, or the reader went away. */
  drained(): Promise<void> | null
}

const USUAL: OutputSettings = { emoji: true, color: 'auto', timestamps: false, maxLines: 12, maxChars: 2000 }

export const terminalStyle = (
  out: Pick<Out, 'isTTY'>,
  env: NodeJS.ProcessEnv,
  { color, emoji }: Pick<OutputSettings, 'color' | 'emoji'> = USUAL,
): Style => styleOf({ color: wantsColor(out, env, color), emoji })

function wantsColor(
  out: Pick<Out, 'isTTY'>,
  env: NodeJS.ProcessEnv,
  color: OutputSettings['color'],
): boolean {
  if (color !== 'auto') return color === 'always'
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  return Boolean(out.isTTY) && !env.NO_COLOR && env.TERM !== 'dumb'
}

const QUIET: ReadonlySet<RunEvent['type']> = new Set(['finished', 'stopped', 'warned'])

/** Shows a run's events on standard output: lines for people, or NDJSON for programs. */
export function consoleListener(
  out: Out,
  env: NodeJS.ProcessEnv,
  { json, quiet, streamAgent, limit, list, summary, titleOf, ending, key = null, output = USUAL }: Loudness,
): ConsoleListener {
  const drained = watchReader(out)
  const live = Boolean(out.isTTY) && !isCi(env) && env.TERM !== 'dumb' && !json && !quiet
  const shown: Shown = {
    style: terminalStyle(out, env, output),
    bounds: output,
    streamAgent,
    limit,
    list,
    summary,
    titleOf,
    ending,
    key,
    clock: at => clockTime(at, Date.now()),
    stamp: output.timestamps ? stampTime : null,
    columns: out.isTTY ? () => columnsOf(out) : () => null,
    live,
  }
  const under = liveLine(shown)
  const line = live ? liveStatus(out, under) : null
  const page = gather((text, done) => {
    line?.clear()
    out.write(text, done)
  })
  const close = () => {
    page.flush()
    line?.close()
  }
  if (json) return Object.assign((event: RunEvent) => page.add(JSON.stringify(event)), { close, drained })
  const lines = runLines(shown)

  const hear = (event: RunEvent) => {
    const isAgent = event.type === 'agent'
    if (quiet && isAgent) return
    const said = lines(event)
    if (!quiet || QUIET.has(event.type)) for (const row of said) page.add(row)
    if (!isAgent) {
      // These are rare, and others may speak of them too, on standard error: in the right order.
      page.flush()
      line?.clear()
    }
    if (line) {
      under.hear(event)
      line.stir()
    }
  }
  return Object.assign(hear, { close, drained })
}

const isCi = ({ CI }: NodeJS.ProcessEnv) => Boolean(CI) && CI !== '0' && CI !== 'false'

function watchReader(out: Out): ConsoleListener['drained'] {
  let wait: Promise<void> | null = null
  let go = () => {}
  const free = () => {
    wait = null
    go()
  }
  out.on('drain', free)
  // A reader that went away (`| head`) is no reason to end a run that someone counts on.
  out.on('error', free)
  return () => {
    // Not what `write` returned: that is false, too, for a page that was taken at once.
    const { writableLength = 0, writableHighWaterMark = Number.POSITIVE_INFINITY } = out
    if (writableLength < writableHighWaterMark) return null
    wait ??= new Promise(resolve => {
      go = resolve
    })
    return wait
  }
}

const PAGE = 64 * 1024
const SPARE = 8

/**
 * Lines of one turn of the event loop go out together: a flood of events must not become a flood of system calls.
 * They are put down as bytes in pages that are used again: nothing of a long stream is left to be collected.
 */
function gather(write: (bytes: Uint8Array, done: () => void) => void) {
  const free: Buffer[] = []
  let page: Buffer = Buffer.allocUnsafeSlow(PAGE)
  let used = 0
  const flush = () => {
    if (used === 0) return
    const full = page
    const bytes = full.subarray(0, used)
    page = free.pop() ?? Buffer.allocUnsafeSlow(PAGE)
    used = 0
    write(bytes, () => {
      if (free.length < SPARE) free.push(full)
    })
  }
  return {
    add(line: string) {
      const most = line.length * 3 + 1
      if (used + most > PAGE) flush()
      if (most > PAGE) return write(Buffer.from(`${line}\n`), () => {})
      if (used === 0) setImmediate(flush)
      used += page.write(line, used)
      page[used++] = 0x0a
    },
    flush,
  }
}
