import type { UserAccess } from '../core/asker.ts'
import type { RunEvent } from '../core/events.ts'
import type { Signals } from '../engine/run.ts'
import type { Receipt } from '../view/report/receipt.ts'
import type { TaskList } from '../view/run-lines.ts'
import type { Style } from '../view/style.ts'
import type { RunSpec } from '../workflows/spec.ts'
import type { DryRun } from './facts.ts'

/** Hears every event of a run, after it was recorded. */
export interface Listener {
  onEvent(event: RunEvent): void
  /** What to wait for before more of an agent's output is read; null: nothing. */
  drained?(): Promise<void> | null
  close?(): void
}

/** What a listener may look at, beside the events. */
export type RunView = {
  spec: RunSpec
  iterations: number | null
  /** Whether there is something to reach: without that, using all iterations is what was asked. */
  hasCondition: boolean
  /** The task list as it stands; null: this workflow has none. */
  list(): TaskList | null
  /** What is done at a stage, in words; undefined: simply the work. */
  titleOf(stage: string): string | undefined
  /** What the workflow adds at the end. */
  summary(style: Style): string[]
  receipt(): Receipt
  /** Ends a wait. */
  retry(): void
}

/** Where a run is watched and steered from: a terminal, or nothing at all. */
export interface Frontend {
  /** Told once, when nothing stands in the way of the run any more. */
  announce(title: string, rows: string[][], output: RunSpec['settings']['output']): void
  preview(dry: DryRun & { warnings: string[] }, output: RunSpec['settings']['output']): void
  /** Those who hear every event, in this order. */
  watch(run: RunView): Listener[]
  /** Whoever can be asked; null: nobody. */
  user(stop: AbortSignal): UserAccess | null
  /** `interrupt`: as if somebody had pressed Ctrl+C. */
  openSignals(): { signals: Signals; interrupt(): void; close(): void }
}
