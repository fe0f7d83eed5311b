import type { RunEvent } from '../../src/core/events.ts'
import * as report from '../../src/view/report/receipt.ts'
import { traitsIn, workflows } from '../../src/workflows/index.ts'

/** The receipt of a journal, with the workflows of ralph. */
export function receiptOf(events: readonly RunEvent[], live?: boolean): report.Receipt {
  const began = events[0]
  const name = began?.type === 'began' ? began.workflow : ''
  return report.receiptOf(events, traitsIn(workflows, name), live)
}
