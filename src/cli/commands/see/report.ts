import { join, relative } from 'node:path'
import { type Io, pageWidth, say } from '../../../runs/io.ts'
import { fullReceipt, type ReportForm, reportLines } from '../../../runs/report.ts'
import { replaceFile } from '../../../store/files/atomic.ts'
import { actInside, kindAt } from '../../../store/files/inside.ts'
import { pinFolder } from '../../../store/files/pinned.ts'
import { requireWritable } from '../../../store/files/writable.ts'
import { sessionDir } from '../../../store/session.ts'
import { terminalStyle } from '../../../terminal/console.ts'
import type { Receipt } from '../../../view/report/receipt.ts'
import { workflows } from '../../../workflows/index.ts'

export type ReportOptions = ReportForm & { projectDir?: string }

/** Prints what a run did and cost. */
export async function reportRun(
  name: string | undefined,
  options: ReportOptions,
  { stdout, env }: Io,
): Promise<number> {
  const width = pageWidth(stdout)
  const receipt = await fullReceipt(workflows, name, options.projectDir, env)
  const text = `${reportLines(receipt, options, terminalStyle(stdout, env), width).join('\n')}\n`
  if (options.html && stdout.isTTY)
    return say(stdout, `the page is ${keepPage(receipt, text)}; open it in a browser`)
  stdout.write(text)
  return 0
}

/** Nobody reads a page on a terminal: it goes beside the run's other files, or into this folder if they are gone. */
function keepPage({ id, project }: Receipt, page: string): string {
  const session = sessionDir(project, id)
  const isKept = kindAt(session) === 'folder'
  const root = pinFolder(isKept ? project : process.cwd())
  const path = isKept ? join(session, 'report.html') : join(root.path, `ralph-report-${id}.html`)
  requireWritable(path, 'ralph report --html > FILE writes it elsewhere', () =>
    actInside(root, path, entry => replaceFile(entry, page)),
  )
  return relative(process.cwd(), path)
}
