import type { Receipt } from './receipt.ts'
import { sayCost, sayEnding, sayIterations, sayTimes, sayTokens, sayWayOn } from './words.ts'

/** The receipt in at most four lines, without colours. */
export function shortReceipt(receipt: Receipt): string[] {
  const { ending, totals, times } = receipt
  const wayOn = sayWayOn(receipt)
  const lines = [
    sayEnding(ending).text,
    `${sayIterations(totals)} · ${sayTimes(times)}`,
    `${sayCost(totals)} · ${sayTokens(totals)}`,
  ]
  return wayOn === null ? lines : [...lines, `to go on: ${wayOn}`]
}
