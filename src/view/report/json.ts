import type { Receipt } from './receipt.ts'

/** What JSON leaves as it is although a terminal would obey it or a reader not see it. */
const UNSEEN =
  /[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g

/** The receipt for programs: the same values, and safe to look at. */
export const jsonReport = (receipt: Receipt): string[] => [
  JSON.stringify(receipt, null, 2).replace(UNSEEN, signs =>
    [...Array(signs.length).keys()]
      .map(at => `\\u${signs.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  ),
]
