import type { Finding } from '../events.ts'
import type { Workflow } from '../workflow.ts'

/** `ralph run`: one task, worked on until its signal is given and the checks are green. */
export const prompt = (): Workflow => ({
  name: 'prompt',
  first: 'work',
  width: 1,
  rounds: 0,
  bugs: 0,
  stages: {
    work: {
      ends: 'signal',
      tries: Number.POSITIVE_INFINITY,
      on: { pass: 'done', more: 'work', fail: 'work', spent: 'blocked' },
    },
  },
})

/** Said once after an interruption: the agent finds a tree that nobody finished editing. */
export const HALF_EDITED =
  'Note: the previous iteration was interrupted. The working tree may be half-edited; look at it before you go on.'

/**
 * The prompt of one iteration. What failed last shapes it: PREPENDs, then the base prompt
 * (or the REPLACEs instead of it), then APPENDs, each in the order of the settings.
 */
export function promptText(
  base: string,
  shape: { carry: Finding[]; count: string | null; interrupted: boolean; told?: readonly string[] },
): string {
  const notes = (action: Finding['action']) => shape.carry.filter(f => f.action === action).map(f => f.note)
  const replaced = notes('REPLACE')
  return [
    shape.count,
    shape.interrupted ? HALF_EDITED : null,
    ...notes('PREPEND'),
    ...(replaced.length > 0 ? replaced : [base]),
    ...notes('APPEND'),
    ...(shape.told ?? []).map(text => `Instruction from the user: ${text}`),
  ]
    .filter(part => part !== null)
    .join('\n\n')
}

/** `Iteration 3 of 10, 7 remaining.`; without a ceiling there is nothing to count down from. */
export const countLine = (n: number, of: number | null): string =>
  of === null ? `Iteration ${n}.` : `Iteration ${n} of ${of}, ${Math.max(of - n, 0)} remaining.`
