import type { RunEvent, Settled } from '../../../core/events.ts'
import { firstLine, plural } from '../../../core/format.ts'
import type { TaskState } from '../../../core/table.ts'

/** One promise that was verified: what came of it. */
type VerificationAttempt = {
  role: string
  /** Which iteration of the run. */
  iteration: number
  promise_found: true
  verified: boolean
  reason: string
  /** When, in ms since the epoch. */
  at: number
}

/** What is known of a task: where it stands, and how its promises were verified. */
export type TaskHistory = { id: string; iterations: number; attempts: VerificationAttempt[] }

/** The name of the check that verifies the promise of a role. */
export const verificationName = (role: string): string => `${role} verification`

/** The history of every task that was worked on. */
export function historyOf(events: readonly RunEvent[]): TaskHistory[] {
  const numbers = new Map(
    events.flatMap(event => (event.type === 'started' ? [[event.id, event.n] as const] : [])),
  )
  const tasks = new Map<string, TaskHistory>()
  for (const event of events) {
    if (event.type !== 'settled') continue
    const history = tasks.get(event.task) ?? { id: event.task, iterations: 0, attempts: [] }
    tasks.set(event.task, history)
    if (event.patch.n !== undefined) history.iterations++
    const finding = event.findings.find(({ check }) => check === verificationName(event.stage))
    if (!finding) continue
    history.attempts.push({
      role: event.stage,
      iteration: numbers.get(event.id) ?? 0,
      promise_found: true,
      verified: finding.verdict === 'pass',
      reason: firstLine(finding.note),
      at: event.at,
    })
  }
  return [...tasks.values()]
}

/** Where a task is now. */
export type TaskStanding = {
  id: string
  title: string
  state: TaskState
  tries: number
  waitsFor: readonly string[]
}

/** Each task: where it is, then one line for each attempt. */
export function historyLines(
  standings: readonly TaskStanding[],
  histories: readonly TaskHistory[],
): string[] {
  return standings.flatMap(standing => {
    const { attempts = [] } = histories.find(({ id }) => id === standing.id) ?? {}
    return [
      `${standing.id} ${standing.title}: ${whereIs(standing)}`,
      ...attempts.map(
        ({ role, iteration, verified, reason }) =>
          `- ${role}, iteration ${iteration}: ${verified ? 'verified' : 'not verified'}. ${reason}`,
      ),
    ]
  })
}

function whereIs({ state: { stage, tries, rounds, why }, tries: most, waitsFor }: TaskStanding): string {
  if (stage === 'done') return 'completed'
  if (stage === 'blocked') return why || 'blocked'
  if (waitsFor.length > 0) return `waits for ${waitsFor.join(', ')}`
  const back = rounds === 0 ? '' : `, sent back ${plural(rounds, 'time')}`
  return `${stage}, ${tries === 0 ? 'not tried yet' : `tried ${tries} of ${plural(most, 'time')}`}${back}`
}

/** Why a task failed, in the words of the document. */
export function failureReason(
  { attempts }: TaskHistory,
  { stage: role, move, state: { why } }: Settled,
): string {
  if (move !== 'spent') return why
  const last = attempts.findLast(attempt => attempt.role === role)
  return last
    ? `Max iterations reached. Last verification: ${last.reason}`
    : 'Max iterations reached without completion promise'
}
