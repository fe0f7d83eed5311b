import { hiddenIn } from '../../../core/visible.ts'
import { splitWords } from '../../../settings/words.ts'

// Which answers are valid, and what they mean. A refusal is shown before the question is asked again.

type Refusal = string | undefined

/** `a, b,,c` → a, b, c */
export const readList = (answer: string): string[] =>
  answer
    .split(',')
    .map(entry => entry.trim())
    .filter(Boolean)

/** For commands. */
export function refuseHidden(answer: string): Refusal {
  const hidden = hiddenIn(answer)
  return hidden === null ? undefined : `It must be text without invisible characters (${hidden}).`
}

/** For a list whose entries are split as a shell would. */
export const refuseFlags = (answer: string): Refusal =>
  refuseHidden(answer) ??
  (readList(answer).some(entry => splitWords(entry) === null)
    ? 'Every quote must be closed, and there may be no comma between quotes.'
    : undefined)

export const refuseTasks = (answer: string): Refusal =>
  readList(answer).length === 0 ? 'Name at least one task.' : refuseFlags(answer)

export const refuseIterations = (answer: string): Refusal =>
  /^0*[1-9]\d*$/.test(answer) && Number.isSafeInteger(Number(answer))
    ? undefined
    : 'It must be a whole number of at least 1.'

export const FAIL_ACTIONS = ['APPEND', 'PREPEND', 'REPLACE'] as const

export const refuseFailAction = (answer: string): Refusal =>
  FAIL_ACTIONS.some(action => action === answer.toUpperCase())
    ? undefined
    : `It must be one of ${FAIL_ACTIONS.join(', ')}.`

export const refuseYesNo = (answer: string): Refusal =>
  /^(?:|y|yes|n|no)$/i.test(answer) ? undefined : 'It must be y or n.'

export const isYes = (answer: string): boolean => /^y/i.test(answer)

/** `isProgram`: whether the whole answer is one program. A path may have spaces. */
export function refuseAgent(answer: string, isProgram: (name: string) => boolean): Refusal {
  if (answer === '') return 'An agent is needed: the program that does the work.'
  if (/\s/.test(answer) && !isProgram(answer))
    return 'Only the program, please; its flags are the next question.'
  return refuseHidden(answer)
}
