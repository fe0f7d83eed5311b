import type { AgentEnding, Exit, Finding, Outcome } from './events.ts'

type Ok = Extract<Outcome, { end: 'ok' }>

/** What of an agent's ending decides about the outcome. */
type Ended = Omit<AgentEnding, 'ms' | 'claimed'>

export type Evidence = Ended & {
  findings: Finding[]
  /** What the agent said or wrote about its work. */
  claims: Partial<Pick<Ok, 'signal' | 'verdict' | 'note' | 'asks' | 'yields'>>
  changed: boolean
  byUser?: boolean
}

/** The outcome of one iteration. Exit code 0 alone proves nothing; any other exit code is an error. */
export function judge(evidence: Evidence): Outcome {
  const { limited, findings, claims, changed, byUser } = evidence
  const trouble = troubleOf(evidence)
  if (trouble === null) {
    const denials = evidence.result.denials ?? 0
    return denials > 0
      ? discounted(claims, findings, changed, denials)
      : { end: 'ok', ...claims, findings, changed }
  }
  const { end, note } = trouble
  if (end === 'unusable') return { end, note }
  if (end === 'limited')
    return { end, note, ...(limited?.resetsAt !== undefined && { resetsAt: limited.resetsAt }) }
  return { end, note, changed, ...(end === 'interrupted' && byUser !== undefined && { byUser }) }
}

/** Whether there is anything to verify: after trouble no check is run. */
export const needsChecks = (ending: Ended): boolean => troubleOf(ending) === null

/** Whether an iteration that ended like this is not counted: its number is used again. */
export const isUncounted = (end: Outcome['end']): boolean =>
  end === 'limited' || end === 'unusable' || end === 'interrupted'

function troubleOf(ending: Ended): { end: Exclude<Outcome['end'], 'ok'>; note: string } | null {
  const { how, exit, result, limited, unusable, seenOff: stoppedByRalph } = ending
  switch (how) {
    case 'interrupted':
      return { end: 'interrupted', note: 'interrupted' }
    case 'timeout':
      return { end: 'timeout', note: 'the iteration took too long and was stopped' }
    case 'inactive':
      return { end: 'inactive', note: 'the agent fell silent and was stopped' }
    case 'exited':
      break
    default:
      return how satisfies never
  }
  if (unusable && !result.ok) return { end: 'unusable', note: unusable.note }
  if (limited && !result.ok) return { end: 'limited', note: limited.note }
  if (!result.ok)
    return { end: 'error', note: result.error?.trim() || `the agent reported an error (${told(exit)})` }
  if (!stoppedByRalph && exit.code !== 0)
    return { end: 'error', note: `${told(exit)}, although the agent reported success` }
  if (result.text.trim() === '') return { end: 'empty', note: 'the agent gave an empty answer' }
  return null
}

/** An agent whose tool calls were refused cannot have finished, whatever it says. */
function discounted(claims: Evidence['claims'], findings: Finding[], changed: boolean, denials: number): Ok {
  const { signal: _, verdict, note, ...rest } = claims
  const refused = `${denials} tool call${denials === 1 ? ' was' : 's were'} refused`
  const rejects = verdict === 'reject'
  return {
    end: 'ok',
    ...rest,
    ...(rejects && { verdict }),
    note: rejects && note ? `${note}\n${refused}` : refused,
    findings,
    changed,
  }
}

const told = (exit: Exit): string =>
  exit.signal === null ? `exit code ${exit.code}` : `ended by ${exit.signal}`
