import type { Finding, RunEvent } from '../../core/events.ts'
import type { StageTable, StepId } from '../../core/table.ts'

/** What one role did last: who worked, on what, and what came of it. */
export type RoleFacts = {
  role: string
  agent: string
  model: string | null
  task: string
  stage: string
  n: number
  began: number
  /** Its agent has not ended. */
  isAtWork: boolean
  /** How its last settled iteration ended, in a word, and what the checks of it said; null: none has settled. */
  last: { move: string; note: string; findings: readonly Finding[] } | null
}

/** Folds what each role did last, and how many iterations each task had. */
export function roleFold() {
  const roles = new Map<string, RoleFacts>()
  const counts = new Map<string, number>()
  const steps = new Map<StepId, string>()
  const change = (id: StepId, facts: Partial<RoleFacts>) => {
    const role = steps.get(id)
    const known = role === undefined ? undefined : roles.get(role)
    if (known) roles.set(known.role, { ...known, ...facts })
  }
  return {
    roles: (): readonly RoleFacts[] => [...roles.values()],
    counts: (): ReadonlyMap<string, number> => counts,
    onEvent(event: RunEvent, table: StageTable): void {
      switch (event.type) {
        case 'started': {
          if (event.agent === null) return
          const role = table.stages[event.stage]?.role ?? event.stage
          const { agent, task, stage, n, at } = event
          const before = roles.get(role)
          steps.set(event.id, role)
          counts.set(task, (counts.get(task) ?? 0) + 1)
          roles.set(role, {
            ...{ role, agent, task, stage, n, began: at, isAtWork: true },
            model: before?.agent === agent ? before.model : null,
            last: before?.last ?? null,
          })
          return
        }
        case 'ended':
          change(event.id, { isAtWork: false, ...(event.model !== undefined && { model: event.model }) })
          return
        case 'settled': {
          const { move, end, note, findings } = event
          change(event.id, { isAtWork: false, last: { move: move ?? end, note, findings } })
          steps.delete(event.id)
        }
      }
    },
  }
}
