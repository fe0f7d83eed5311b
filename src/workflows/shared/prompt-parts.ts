/** Said once after an interruption: the agent finds a tree that nobody finished editing. */
export const HALF_EDITED =
  'Note: the previous iteration was interrupted. The working tree may be half-edited; look at it before you go on.'

/** `Iteration 3 of 10, 7 remaining.`; without a ceiling there is nothing to count down from. */
export const countLine = (n: number, of: number | null): string =>
  of === null ? `Iteration ${n}.` : `Iteration ${n} of ${of}, ${Math.max(of - n, 0)} remaining.`
