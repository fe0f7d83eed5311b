import type { RunEvent } from '../core/events.ts'
import type { StepId } from '../core/table.ts'

/** How the folders of a run's steps are named. Learns from every event of the run. */
export type StepFolders = {
  learn(event: RunEvent): void
  /** The number of the iteration that a step is; 0 for the baseline. */
  numberOf(id: StepId | null): number
  nameOf(id: StepId | null): string
}

/** Nobody asks for the folder of a step that so many others came after. */
const MOST_STEPS = 1000

export function stepFolders(past: readonly RunEvent[] = []): StepFolders {
  const steps = new Map<StepId, { n: number; name: string }>()
  const attempts = new Map<number, number>()
  /** Several steps may have the same number: one that does not count is tried again. */
  const learn = (event: RunEvent) => {
    if (event.type !== 'started') return
    const attempt = (attempts.get(event.n) ?? 0) + 1
    attempts.set(event.n, attempt)
    const name = folderName(event.n)
    steps.set(event.id, { n: event.n, name: attempt === 1 ? name : `${name}-${attempt}` })
    for (const known of [steps, attempts] as Map<number, unknown>[])
      if (known.size > MOST_STEPS) known.delete(known.keys().next().value!)
  }
  for (const event of past) learn(event)
  const numberOf = (id: StepId | null) => (id === null ? 0 : (steps.get(id)?.n ?? id))
  return {
    learn,
    numberOf,
    nameOf: id => (id !== null && steps.get(id)?.name) || folderName(numberOf(id)),
  }
}

const folderName = (n: number) => `iter-${String(n).padStart(3, '0')}`
