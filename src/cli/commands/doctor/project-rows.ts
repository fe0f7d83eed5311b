import { plural } from '../../../core/format.ts'
import type { ProjectFacts } from './facts.ts'
import type { DoctorRow } from './rows.ts'

export function projectRows({
  settings,
  trust,
  guardrails,
  protect,
  lock,
  unfinished,
  runsTrouble,
}: ProjectFacts): DoctorRow[] {
  return [
    settings.valid
      ? { mark: 'yes', name: 'settings', value: settings.files.join(' · ') || 'none: the defaults' }
      : { mark: 'no', name: 'settings', value: settings.error },
    trustRow(trust),
    guardrails !== null && guardrails.length > 0
      ? { mark: 'yes', name: 'checks', value: guardrails.join(' · ') }
      : {
          mark: 'none',
          name: 'checks',
          value: guardrails === null ? 'unknown' : 'none: the result of a run is only claimed',
          ...(guardrails && { fix: 'ralph init, or --check "npm test"' }),
        },
    ...protectRows(protect),
    lock
      ? {
          mark: 'none',
          name: 'lock',
          value: `run ${lock.run} is at work here (pid ${lock.pid} on ${lock.host})`,
          fix: 'wait for it, or use --shared',
        }
      : { mark: 'yes', name: 'lock', value: 'free' },
    runsRow(unfinished, runsTrouble, lock),
  ]
}

/** No row without patterns. */
function protectRows({ patterns, notes, trouble }: ProjectFacts['protect']): DoctorRow[] {
  const name = 'protect'
  if (trouble !== null) return [{ mark: 'no', name, value: trouble }]
  if (patterns.length === 0) return []
  if (notes.length === 0) return [{ mark: 'yes', name, value: patterns.join(' · ') }]
  return notes.map(note => ({ mark: 'none', name, value: note }))
}

function trustRow(trust: ProjectFacts['trust']): DoctorRow {
  const name = 'trust'
  switch (trust.state) {
    case 'not needed':
      return { mark: 'yes', name, value: 'nothing here needs it' }
    case 'given':
      return { mark: 'yes', name, value: 'given' }
    case 'by RALPH_TRUST':
      return { mark: 'yes', name, value: 'given by RALPH_TRUST=1' }
    case 'missing':
      return { mark: 'none', name, value: `not given for ${trust.where.join(', ')}`, fix: 'ralph trust' }
    case 'unknown':
      return { mark: 'no', name, value: trust.why }
    default:
      return trust satisfies never
  }
}

function runsRow(
  unfinished: ProjectFacts['unfinished'],
  trouble: string | null,
  lock: ProjectFacts['lock'],
): DoctorRow {
  const name = 'runs'
  if (trouble !== null) return { mark: 'no', name, value: trouble }
  if (unfinished === null || unfinished.run === lock?.run)
    return { mark: 'yes', name, value: 'none that was left unfinished' }
  const value = `${unfinished.run} is unfinished after ${plural(unfinished.iterations, 'iteration')}`
  return { mark: 'none', name, value, ...(unfinished.goOn !== null && { fix: unfinished.goOn }) }
}
