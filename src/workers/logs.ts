import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RunEvent } from '../core/events.ts'
import { logTime } from '../core/format.ts'
import type { Listener, RunView } from '../host/frontend.ts'
import { appendToFile } from '../store/files/growing.ts'
import { runLines } from '../view/run-lines.ts'
import { styleOf } from '../view/style.ts'
import { plainLine } from '../view/text/plain.ts'
import { clockTime, stampTime } from '../view/time.ts'
import { FILES } from './folder.ts'
import { loopLines, type WorkerLoop } from './rules/lines.ts'
import { appendToView } from './view-log.ts'

/** The logs of a worker: `view.log`, which its window shows, and `iterations.log`. */
export function keepLogs(
  dir: string,
  facts: WorkerLoop,
  past: readonly RunEvent[],
  run: RunView,
  onSaid: (line: string) => void = () => {},
): Listener {
  // Somebody may have removed the folder: then the worker is about to stop.
  const isThere = (lines: readonly string[]) => lines.length > 0 && existsSync(dir)
  const view = (lines: readonly string[]) => {
    if (isThere(lines)) appendToView(dir, lines)
  }
  const log = (lines: readonly string[]) => {
    if (isThere(lines)) appendToFile(join(dir, FILES.log), Buffer.from(`${lines.join('\n')}\n`), 0o600)
  }
  const { settings } = run.spec
  const style = styleOf({ color: settings.output.color !== 'never', emoji: settings.output.emoji })
  const show = runLines({
    style,
    bounds: settings.output,
    streamAgent: settings.streamAgentOutput,
    limit: run.iterations,
    clock: at => clockTime(at, Date.now()),
    stamp: settings.output.timestamps ? stampTime : null,
    list: run.list,
    summary: run.summary,
    stageOf: run.stageOf,
    isParallel: run.isParallel,
    project: run.spec.project,
    resume: `ralph resume ${facts.name}`,
  })
  const loop = loopLines(facts)
  for (const event of past) loop(event)
  return {
    onEvent(event) {
      const { said, logged } = loop(event)
      // The window comes last: who reads something there finds it in the log, too.
      log(logged.map(line => `${logTime(event.at)} ${line}`))
      const shown = show(event)
      const lines = said.map(line => style.colors.bold(line))
      // The loop's own line says which iteration begins.
      if (event.type === 'started') view(['', ...lines])
      else view(event.type === 'ended' ? [...shown, ...lines] : [...lines, ...shown])
      for (const line of said) onSaid(line)
      if (event.type === 'warned') view([style.colors.yellow(`warning: ${plainLine(event.note, 1000)}`)])
    },
  }
}
