import type { RunEvent } from '../core/events.ts'
import { safeJson } from '../core/visible.ts'
import type { Bounds } from '../view/agent-lines.ts'
import { liveLine } from '../view/live-line.ts'
import { type RunLinesOptions, runLines } from '../view/run-lines.ts'
import { type Style, styleOf } from '../view/style.ts'
import { clockTime, stampTime } from '../view/time.ts'
import { columnsOf, liveStatus, type OutputStream } from './live-status.ts'

/** The section `output` of the settings. */
export type OutputSettings = Bounds & {
  emoji: boolean
  color: 'auto' | 'always' | 'never'
  timestamps: boolean
}

export type OutputOptions = {
  json: boolean
  quiet: boolean
  /** Absent: the defaults. */
  output?: OutputSettings
} & Omit<RunLinesOptions, 'style' | 'bounds' | 'clock' | 'stamp' | 'columns' | 'live' | 'resume'>

/** Is called with every event of a run. Close it when the run is over, however it ended. */
export type ConsoleListener = ((event: RunEvent) => void) & {
  close(): void
  /** Removes the live line, because somebody else writes next. */
  clear(): void
  /** Shows lines about the run that no event brings. */
  say(lines: readonly string[]): void
  /** Null while the reader keeps up. Otherwise it resolves once the reader has read everything, or is gone. */
  drained(): Promise<void> | null
}

const DEFAULTS: OutputSettings = {
  emoji: true,
  color: 'auto',
  timestamps: false,
  maxLines: 12,
  maxChars: 2000,
}

export const terminalStyle = (
  out: Pick<OutputStream, 'isTTY'>,
  env: NodeJS.ProcessEnv,
  { color, emoji }: Pick<OutputSettings, 'color' | 'emoji'> = DEFAULTS,
): Style => styleOf({ color: wantsColor(out, env, color), emoji })

function wantsColor(
  out: Pick<OutputStream, 'isTTY'>,
  env: NodeJS.ProcessEnv,
  color: OutputSettings['color'],
): boolean {
  if (color !== 'auto') return color === 'always'
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  return Boolean(out.isTTY) && !env.NO_COLOR && env.TERM !== 'dumb'
}

const SHOWN_IN_QUIET: ReadonlySet<RunEvent['type']> = new Set(['finished', 'stopped', 'warned'])

/** Shows a run's events on standard output: lines for people, or NDJSON for programs. */
export function consoleListener(
  out: OutputStream,
  env: NodeJS.ProcessEnv,
  { json, quiet, output = DEFAULTS, ...ofRun }: OutputOptions,
): ConsoleListener {
  const drained = watchReader(out)
  const live = isRedrawable(out, env) && !json && !quiet
  const shown: RunLinesOptions = {
    ...ofRun,
    style: terminalStyle(out, env, output),
    bounds: output,
    clock: at => clockTime(at, Date.now()),
    stamp: output.timestamps ? stampTime : null,
    columns: out.isTTY ? () => columnsOf(out) : () => null,
    live,
  }
  const status = liveLine(shown)
  const line = live ? liveStatus(out, status) : null
  const buffer = bufferLines((bytes, done) => {
    line?.clear()
    out.write(bytes, done)
    line?.redraw()
  })
  const clear = () => line?.clear()
  const say = (texts: readonly string[]) => {
    for (const text of texts) buffer.add(text)
  }
  const close = () => {
    buffer.flush()
    line?.close()
  }
  if (json)
    return Object.assign((event: RunEvent) => buffer.add(safeJson(event)), { close, drained, say, clear })
  const lines = runLines(shown)

  const onEvent = (event: RunEvent) => {
    const isAgent = event.type === 'agent'
    if (quiet && isAgent) return
    const rows = lines(event)
    if (!quiet || SHOWN_IN_QUIET.has(event.type)) for (const row of rows) buffer.add(row)
    if (!isAgent) {
      // These are rare. Flush, because others may write about them to standard error, and the order should hold.
      buffer.flush()
      clear()
    }
    if (line) {
      status.onEvent(event)
      line.update()
      if (!isAgent) line.drawSoon()
    }
  }
  return Object.assign(onEvent, { close, drained, say, clear })
}

/** Whether lines can be redrawn: a terminal, and somebody who may be looking. */
export const isRedrawable = (out: Pick<OutputStream, 'isTTY'>, env: NodeJS.ProcessEnv): boolean =>
  Boolean(out.isTTY) && !isCi(env) && env.TERM !== 'dumb'

const isCi = ({ CI }: NodeJS.ProcessEnv) => Boolean(CI) && CI !== '0' && CI !== 'false'

function watchReader(out: OutputStream): ConsoleListener['drained'] {
  let wait: Promise<void> | null = null
  let resume = () => {}
  const onDrained = () => {
    wait = null
    resume()
  }
  out.on('drain', onDrained)
  // A reader that went away (`| head`) must not end the run.
  out.on('error', onDrained)
  return () => {
    // Not what `write` returned: that is also false for a page that was written at once.
    const { writableLength = 0, writableHighWaterMark = Number.POSITIVE_INFINITY } = out
    if (writableLength < writableHighWaterMark) return null
    wait ??= new Promise(resolve => {
      resume = resolve
    })
    return wait
  }
}

const PAGE = 64 * 1024
const SPARE_PAGES = 8

/**
 * Writes the lines of one turn of the event loop together, so that many events do not become many system calls. Pages
 * of bytes are reused, so that a long stream leaves nothing to the garbage collector.
 */
function bufferLines(write: (bytes: Uint8Array, done: () => void) => void) {
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
      if (free.length < SPARE_PAGES) free.push(full)
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
