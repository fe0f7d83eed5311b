import type { Decision } from '../core/next.ts'
import type { StepId } from '../core/table.ts'
import type { TaskId } from '../core/task.ts'
import type { Book } from './book.ts'
import { apply, begin, iterate, type RunContext } from './iterate.ts'

/** A step that is running. */
type Flight = {
  done: Promise<void>
  /** Ends the step now. */
  cut: AbortController
  /** Its task was given up, so the run goes on without it. */
  isDropped: boolean
}

/** The steps that are running in this process. */
export type Flights = {
  byId: Map<StepId, Flight>
  /** The first error of a step. The run stops once the others have ended. */
  trouble: { error: unknown } | null
}

export const noFlights = (): Flights => ({ byId: new Map(), trouble: null })

export const inTheAir = ({ byId }: Flights): Promise<void>[] => [...byId.values()].map(({ done }) => done)

/** Begins a step and lets it run. */
export async function launchStep(
  flights: Flights,
  context: RunContext,
  decision: Extract<Decision, { type: 'work' }>,
): Promise<void> {
  const { soft, hard } = context.signals
  try {
    const begun = await begin(context, decision)
    const { id } = begun.step
    const cut = new AbortController()
    const flight: Flight = { cut, isDropped: false, done: Promise.resolve() }
    flights.byId.set(id, flight)
    if (hard.aborted) cut.abort()
    flight.done = iterate({ ...context, signals: { soft, hard: cut.signal } }, begun)
      .then(() => (flight.isDropped ? applyLeft(context, id) : undefined))
      .catch(error => noteTrouble(flights, error))
      .finally(() => flights.byId.delete(id))
  } catch (error) {
    noteTrouble(flights, error)
  }
}

const noteTrouble = (flights: Flights, error: unknown): void => {
  flights.trouble ??= { error }
}

/** A step that was ended by itself is applied: the run goes on. */
async function applyLeft(context: RunContext, id: StepId): Promise<void> {
  const settled = context.book.state.unapplied[id]
  if (settled && !context.signals.hard.aborted) await apply(context, settled)
}

export function cutAll({ byId }: Flights): void {
  for (const { cut } of byId.values()) cut.abort()
}

/** Ends the steps of a task that was given up. */
export function drop({ byId }: Flights, book: Book, task: TaskId): void {
  for (const step of Object.values(book.state.flight)) {
    const flight = byId.get(step.id)
    if (step.task !== task || !flight) continue
    flight.isDropped = true
    flight.cut.abort()
  }
}
