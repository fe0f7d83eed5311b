import { UsageError } from '../core/usage-error.ts'
import { findRun, latestRun, ralphHome, type StoredRun } from '../store/runs.ts'
import { htmlReport } from '../view/report/html.ts'
import { jsonReport } from '../view/report/json.ts'
import { markdownReport } from '../view/report/markdown.ts'
import { type Receipt, receiptOf } from '../view/report/receipt.ts'
import { textReport } from '../view/report/text.ts'
import type { ReportOptions } from './commands/report.ts'
import { terminalStyle } from './console.ts'
import { projectOf } from './project.ts'

const NARROWEST = 40
const WIDTH = 80

/** Prints what a run did and cost. It reads the journal alone, so the run may be at work meanwhile. */
export function reportRun(name: string | undefined, options: ReportOptions): number {
  const home = ralphHome(process.env)
  const run = name === undefined ? latest(home, projectOf(options.projectDir)) : findRun(home, name)
  process.stdout.write(`${linesOf(receiptOf(run.events), options).join('\n')}\n`)
  return 0
}

function linesOf(receipt: Receipt, options: ReportOptions): string[] {
  if (options.json) return jsonReport(receipt)
  if (options.markdown) return markdownReport(receipt)
  if (options.html) return htmlReport(receipt)
  const width = Math.max(process.stdout.columns ?? WIDTH, NARROWEST)
  return textReport(receipt, terminalStyle(process.stdout, process.env), width)
}

function latest(home: string, project: string): StoredRun {
  const run = latestRun(home, project)
  if (!run) throw new UsageError(`no run in ${project}; start one with: ralph run`)
  return run
}
