import { heldElsewhere } from '../store/lock.ts'
import { findReceipt, latestReceipt } from '../store/receipts.ts'
import { terminalStyle } from '../terminal/console.ts'
import { htmlReport } from '../view/report/html.ts'
import { jsonReport } from '../view/report/json.ts'
import { markdownReport } from '../view/report/markdown.ts'
import { type Receipt, receiptOf } from '../view/report/receipt.ts'
import { textReport } from '../view/report/text.ts'
import { type Registry, traitsIn } from '../workflows/index.ts'
import { fittingRuns, latestRun, ralphHome } from './find.ts'
import { chooseRun } from './past-run.ts'
import { projectOf } from './project.ts'
import { isLive } from './steer.ts'

export type ReportOptions = { json?: boolean; markdown?: boolean; html?: boolean; projectDir: string }

const NARROWEST = 40
const WIDTH = 80

/** Prints what a run did and cost. It reads the journal alone, so the run may be at work meanwhile. */
export function reportRun(registry: Registry, name: string | undefined, options: ReportOptions): number {
  process.stdout.write(`${linesOf(receiptFor(registry, name, options.projectDir), options).join('\n')}\n`)
  return 0
}

/** From the journal; of a run that was put away, what was kept of it. */
function receiptFor(registry: Registry, name: string | undefined, projectDir: string): Receipt {
  const home = ralphHome(process.env)
  const kept = keptOf(home, name, projectDir)
  // One that an older ralph kept does not tell of its workflow.
  if (kept !== null) return { ...traitsIn(registry, (kept as Receipt).workflow), ...(kept as Receipt) }
  const run = chooseRun(name, projectDir)
  const isAtWork = isLive(run) || heldElsewhere(home, run.id) !== null
  return receiptOf(run.events, traitsIn(registry, run.began.workflow), isAtWork)
}

function keptOf(home: string, name: string | undefined, projectDir: string): unknown {
  if (name !== undefined) return fittingRuns(home, name).length > 0 ? null : findReceipt(home, name)
  const project = projectOf(projectDir)
  return latestRun(home, project) ? null : latestReceipt(home, project)
}

function linesOf(receipt: Receipt, options: ReportOptions): string[] {
  if (options.json) return jsonReport(receipt)
  if (options.markdown) return markdownReport(receipt)
  if (options.html) return htmlReport(receipt)
  const width = Math.max(process.stdout.columns ?? WIDTH, NARROWEST)
  return textReport(receipt, terminalStyle(process.stdout, process.env), width)
}
