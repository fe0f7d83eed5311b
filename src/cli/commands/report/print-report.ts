import type { Io } from '../../../runs/io.ts'
import { fullReceipt, type ReportForm, reportLines } from '../../../runs/report.ts'
import { terminalStyle } from '../../../terminal/console.ts'
import { workflows } from '../../../workflows/index.ts'

export type ReportOptions = ReportForm & { projectDir?: string }

const NARROWEST = 40
const WIDTH = 80

/** Prints what a run did and cost. */
export async function reportRun(
  name: string | undefined,
  options: ReportOptions,
  { stdout, env }: Io,
): Promise<number> {
  const width = Math.max(stdout.columns ?? WIDTH, NARROWEST)
  const receipt = await fullReceipt(workflows, name, options.projectDir, env)
  const lines = reportLines(receipt, options, terminalStyle(stdout, env), width)
  stdout.write(`${lines.join('\n')}\n`)
  return 0
}
