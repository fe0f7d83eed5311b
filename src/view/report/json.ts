import type { Receipt } from './receipt.ts'

/** What JSON does not escape, although a terminal obeys it or a reader cannot see it. */
const UNSEEN =
  /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g

/** The receipt for programs: the same values, and safe to look at. */
export const jsonReport = (receipt: Receipt): string[] => [
  JSON.stringify(receipt, null, 2).replace(UNSEEN, chars =>
    [...Array(chars.length).keys()]
      .map(index => `\\u${chars.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  ),
]
