import type { Finding, Outcome } from '../events.ts'

type Ok = Extract<Outcome, { end: 'ok' }>

/** Whether the agent could do all it wanted and changed nothing, with all checks green. */
export const isUnchanged = ({ changed, denials, findings }: Ok): boolean =>
  !changed &&
  denials === undefined &&
  findings.some(isEvidence) &&
  findings.every(({ verdict }) => verdict === 'pass')

/** Whether all that keeps the stage from passing is a check that could not decide. */
export const onlyUndecided = ({ findings }: Ok): boolean => {
  const open = findings.filter(({ verdict }) => verdict !== 'pass')
  return open.length > 0 && open.every(({ undecided }) => undecided)
}

/** Whether all that is red is what somebody thinks. */
export const isOpinion = ({ findings }: Ok): boolean =>
  findings.every(({ verdict, opinion }) => verdict !== 'fail' || opinion)

/** Whether a finding is more than somebody's word. */
export const isEvidence = ({ claim, doubts }: Finding): boolean => !claim && doubts === undefined
