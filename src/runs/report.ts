import { safeJson } from '../core/visible.ts'
import { mustGit } from '../git/git.ts'
import { heldElsewhere } from '../store/lock.ts'
import { findReceipt, latestReceipt } from '../store/receipts.ts'
import { htmlReport } from '../view/report/html.ts'
import { markdownReport, textReport } from '../view/report/page.ts'
import { type Receipt, receiptOf } from '../view/report/receipt.ts'
import type { Style } from '../view/style.ts'
import { type Registry, traitsIn } from '../workflows/index.ts'
import { diffRun } from './diff.ts'
import { latestRun, matchingRuns, ralphHome } from './find.ts'
import { isLive } from './live.ts'
import { chooseRun } from './past-run.ts'
import { projectOf } from './project.ts'

/** Without any of them: text. */
export type ReportForm = { json?: boolean; markdown?: boolean; html?: boolean }

/**
 * What a run did and cost. It only reads the journal, so the run may be at work. If gc deleted the run, it is the receipt
 * that was kept.
 */
export function receiptFor(
  registry: Registry,
  name: string | undefined,
  projectDir: string | undefined,
  env: NodeJS.ProcessEnv,
): Receipt {
  const kept = keptReceipt(name, projectDir, env)
  if (kept !== null) return kept as Receipt
  const run = chooseRun(name, projectDir, env)
  const isAtWork = isLive(run) || heldElsewhere(ralphHome(env), run.id) !== null
  return receiptOf(run.events, traitsIn(registry, run.began.workflow), isAtWork)
}

/** The same, and of a run that was cut off also the files that it changed: nobody was there to journal them. */
export async function fullReceipt(
  registry: Registry,
  name: string | undefined,
  projectDir: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Receipt> {
  const receipt = receiptFor(registry, name, projectDir, env)
  const { ending, totals } = receipt
  if (ending.type !== 'open' || ending.live) return receipt
  const files = await countChangedFiles(receipt.id, env)
  return files === null ? receipt : { ...receipt, totals: { ...totals, filesInTree: files } }
}

/** How many files a run changed. Null if nobody can know. */
async function countChangedFiles(id: string, env: NodeJS.ProcessEnv): Promise<number | null> {
  const silent = { write: () => {} }
  let names = ''
  try {
    await diffRun(id, { nameOnly: true }, { stdout: silent, stderr: silent, env }, async call => {
      names = await mustGit(call.cwd, call.env, call.args)
      return 0
    })
  } catch {
    // Not a repository, or no longer the same.
    return null
  }
  return names.split('\n').filter(Boolean).length
}

function keptReceipt(
  name: string | undefined,
  projectDir: string | undefined,
  env: NodeJS.ProcessEnv,
): unknown {
  const home = ralphHome(env)
  if (name !== undefined) return matchingRuns(home, name).length > 0 ? null : findReceipt(home, name)
  const project = projectOf(projectDir, env)
  return latestRun(home, project) ? null : latestReceipt(home, project)
}

/** `style` and `width` are for text. The other forms look the same everywhere. */
export function reportLines(receipt: Receipt, form: ReportForm, style: Style, width: number): string[] {
  if (form.json) return [safeJson(receipt, 2)]
  if (form.markdown) return markdownReport(receipt)
  if (form.html) return htmlReport(receipt)
  return textReport(receipt, style, width)
}
