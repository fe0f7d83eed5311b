import { isatty } from 'node:tty'
import type { RunEvent } from '../core/events.ts'
import { safeJson, visible, visibleText } from '../core/visible.ts'
import { KEY_HINTS, type KeyAction } from '../view/keys.ts'
import type { Receipt } from '../view/report/receipt.ts'
import { shortReceipt } from '../view/report/short.ts'
import type { RunLinesOptions, TaskList } from '../view/run-lines.ts'
import type { Style } from '../view/style.ts'
import { type Fit, fitTo, wrapTo } from '../view/text/fit.ts'
import { plainLine } from '../view/text/plain.ts'
import { table } from '../view/text/table.ts'
import { stampTime } from '../view/time.ts'
import { type AlertWishes, alertSequences } from './alert.ts'
import {
  type ConsoleListener,
  consoleListener,
  isRedrawable,
  type OutputSettings,
  terminalStyle,
} from './console.ts'
import { keyMode } from './key-mode.ts'
import { type InputStream, listenToKeys } from './keys.ts'
import { columnsOf, type OutputStream } from './live-status.ts'

type Streams = {
  stdin: InputStream
  stdout: OutputStream
  stderr: OutputStream
}

/** What the terminal shows of a run, beside its events. */
type WatchedRun = {
  spec: { project: string; settings: { streamAgentOutput: boolean; output: OutputSettings } }
  iterations: number | null
  list(): TaskList | null
  summary(style: Style): string[]
  stageOf: RunLinesOptions['stageOf']
  isParallel?: boolean
  receipt(): Receipt
  state: RunLinesOptions['state']
  retry(): void
  pause(): void
  resume(): void
  stop(): void
}

/** What would run, if somebody asks for that alone. */
type Preview = { rows: string[][]; prompt: string; object: object; warnings: string[] }

/** Shows a run on a terminal or in a pipe: lines for people, or NDJSON for programs. */
export function terminalFrontend(
  streams: () => Streams,
  env: NodeJS.ProcessEnv,
  { json = false, quiet = false }: { json?: boolean; quiet?: boolean },
) {
  const write = (text: string) => streams().stdout.write(text)
  const warn = (note: string) => {
    const { stderr } = streams()
    const fit = fitTo(stderr.isTTY ? columnsOf(stderr) : null)
    stderr.write(`${fit.wrap(`ralph: warning: ${plainLine(note, 1000)}`, undefined, 2).join('\n')}\n`)
  }
  return {
    announce(title: string, rows: string[][], output: OutputSettings): void {
      const stamp = output.timestamps ? `${stampTime(Date.now())} ` : ''
      if (!json && !quiet) write(page(title, rows, streams().stdout, env, output, stamp))
    },

    preview(dry: Preview, output: OutputSettings): void {
      if (json) {
        write(`${safeJson({ ...dry.object, warnings: dry.warnings })}\n`)
        return
      }
      const { colors } = terminalStyle(streams().stdout, env, output)
      const head = page('ralph would run', dry.rows, streams().stdout, env, output)
      const { stdout } = streams()
      const fit = fitTo(stdout.isTTY ? columnsOf(stdout) : null)
      const prompt = visibleText(dry.prompt).trimEnd().split('\n')
      write(`${head}\n${colors.dim('prompt')}\n${prompt.flatMap(line => fit.wrap(line)).join('\n')}\n`)
      for (const note of dry.warnings) warn(note)
    },

    alert(notice: { title: string; text: string }, wishes: AlertWishes): boolean {
      const { stdout, stderr } = streams()
      const out = [json ? null : stdout, stderr].find(stream => stream?.isTTY)
      if (!out) return false
      const { sequences, onDesktop } = alertSequences(notice, wishes, env)
      out.write(sequences)
      return onDesktop
    },

    watch(run: WatchedRun) {
      const { settings } = run.spec
      const out = streams().stdout
      const hasKeys = isatty(0) && isRedrawable(out, env) && !json && !quiet
      const shown: ConsoleListener = consoleListener(out, env, {
        json,
        quiet,
        hasKeys,
        state: run.state,
        streamAgent: settings.streamAgentOutput,
        limit: run.iterations,
        output: settings.output,
        ending: (style: Style, fit: Fit) => shortReceipt(run.receipt(), style, { fit, whole: !quiet }),
        list: run.list,
        summary: run.summary,
        stageOf: run.stageOf,
        isParallel: run.isParallel,
        project: run.spec.project,
      })
      const help = () => shown.say(fitTo(columnsOf(out)).wrap(`  ${KEY_HINTS.all}`, undefined, 4))
      const act = (action: KeyAction) => {
        shown.clear()
        if (action === 'help') help()
        else run[action]()
      }
      const keys = hasKeys ? listenToKeys(streams().stdin, keyMode(env.PATH ?? ''), act, shown.clear) : null
      return [
        // First: it removes its live line before anyone else writes.
        { onEvent: shown, drained: shown.drained, close: shown.close },
        ...(keys ? [keys] : []),
        ...(json ? [] : [{ onEvent: (event: RunEvent) => event.type === 'warned' && warn(event.note) }]),
      ]
    },
  }
}

/** A title, then a row for each name with its whole value. */
function page(
  title: string,
  rows: string[][],
  out: OutputStream,
  env: NodeJS.ProcessEnv,
  output: OutputSettings,
  stamp = '',
): string {
  const { colors } = terminalStyle(out, env, output)
  const lines = table(
    rows.map(([name, value]) => [colors.dim(name!), visible(value!)]),
    {
      margin: '  ',
      ...(out.isTTY && { width: columnsOf(out) - stamp.length }),
      wrap: (value, room) => wrapTo(value, room),
    },
  )
  const text = [colors.bold(title), ...lines].join('\n')
  return `${stamp === '' ? text : text.replace(/^/gm, colors.dim(stamp))}\n`
}
