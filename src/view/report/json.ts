import { visibleJson } from '../../core/visible.ts'
import type { Receipt } from './receipt.ts'

/** The receipt for programs: the same values, and safe to look at. */
export const jsonReport = (receipt: Receipt): string[] => [visibleJson(JSON.stringify(receipt, null, 2))]
