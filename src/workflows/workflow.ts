import type { RunEvent, Settled } from '../core/events.ts'
import type { Check, Ports, Work } from '../core/ports.ts'
import type { RunState } from '../core/table.ts'
import type { Task } from '../core/task.ts'

/** What one workflow adds to the ports of the engine; everything else is the same for all of them. */
export interface Trade extends Pick<Ports, 'witness' | 'claims' | 'edits'> {
  /** What a new run begins with. */
  opening(at: number): { tasks: Task[]; edits: RunEvent[] }
  /** Before a step begins. Throws CannotGoOn where it must not, or its outcome could not be trusted. */
  prepare?(work: Work, tell: (event: RunEvent) => void): Promise<void>
  prompt(work: Work): string
  /** The checks of a step, out of those that every step has; without a step, those of the baseline. */
  checks(work: Pick<Work, 'stage' | 'task'> & { step?: Work['step'] }, common: Check[]): Check[]
  /** The agent of a step is about to start. */
  begun(work: Work): void | Promise<void>
  /** What its environment tells it and its hooks, beside whose it is. */
  env?(): Record<string, string>
  /** Makes the workflow's own files follow what was settled. Safe to repeat. */
  project(settled: Settled, tell: (event: RunEvent) => void): void | Promise<void>
  /** A run is taken up again, before anything else happens in it. */
  back?(): void
  /** It is about to be left: what agents wrote is judged by now, for what differs later is people's word. */
  leave?(): Promise<void>
  /** Hears every event, after it was recorded. */
  hear(event: RunEvent): void
  /** The run stopped where it was meant to, though there is more to do. */
  isThere(): boolean
}

/** The run as it stands: a trade reads it, the engine changes it. */
export type Standing = { readonly tasks: readonly Task[]; readonly state: RunState }
