import { UsageError } from '../../../core/usage-error.ts'
import { findRunId, ralphHome, runDir } from '../../../runs/find.ts'
import type { Io } from '../../../runs/io.ts'
import { beginningOf, requireFormat } from '../../../store/journal.ts'
import { terminalStyle } from '../../../terminal/console.ts'
import { openUi } from '../../../ui/app.ts'
import { uiPorts } from './ui-ports.ts'

/** `ralph watch`: the screens, until somebody leaves them. */
export async function watchRuns(name: string | undefined, io: Io): Promise<number> {
  const home = ralphHome(io.env)
  const run = name === undefined ? null : findRunId(home, name)
  if (run !== null) requireFormat(runDir(home, run), beginningOf(runDir(home, run)))
  requireTerminal(run === null ? 'ralph ls' : `ralph status ${run}`)
  const { isColorSupported } = terminalStyle(process.stdout, io.env).colors
  const ui = openUi({ ports: uiPorts(io.env), streams: process, run, hasColor: isColorSupported })
  await ui.closed
  return 0
}

/** `instead`: what shows the same in lines. */
export function requireTerminal(instead: string): void {
  if (process.stdin.isTTY && process.stdout.isTTY) return
  throw new UsageError(`the full screen needs a terminal; without one, use ${instead}`)
}
