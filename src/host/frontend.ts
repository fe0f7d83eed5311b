import type { UserAccess } from '../core/asker.ts'
import type { RunEvent } from '../core/events.ts'
import type { RunState, Stage } from '../core/table.ts'
import { blockedTasks, projectTodo } from '../core/todo.ts'
import type { Book } from '../engine/book.ts'
import type { Signals } from '../engine/run.ts'
import { processRef } from '../runners/process/proc.ts'
import { senderOf } from '../runs/within.ts'
import { sendControl } from '../store/control.ts'
import { readJournal } from '../store/journal.ts'
import type { Notice } from '../view/notices.ts'
import { type Receipt, receiptOf } from '../view/report/receipt.ts'
import type { TaskList } from '../view/run-lines.ts'
import type { Style } from '../view/style.ts'
import type { RunSpec } from '../workflows/spec.ts'
import { traitsOf } from '../workflows/traits.ts'
import type { DryRun } from './facts.ts'
import type { HostOptions } from './host.ts'

/** Gets every event of a run, after it was recorded. */
export interface Listener {
  onEvent(event: RunEvent): void
  /** What to wait for before more of an agent's output is read. Null for nothing. */
  drained?(): Promise<void> | null
  /** What it still does is waited for, so it must be bounded. */
  close?(): void | Promise<void>
}

/** What a listener may look at, in addition to the events. */
export type RunView = {
  id: string
  spec: RunSpec
  iterations: number | null
  /** The task list now. Null if this workflow has none. */
  list(): TaskList | null
  /** What is known about a stage. Undefined if it is not in the table. */
  stageOf(stage: string): Stage | undefined
  /** Several tasks may be worked on at once. */
  isParallel: boolean
  /** What the workflow adds at the end. */
  summary(style: Style): string[]
  receipt(): Receipt
  /** What is spent, the limits and the steps in flight, as they are now. */
  state(): Pick<RunState, 'spent' | 'limits' | 'flight'>
  /** Ends a wait. */
  retry(): void
  /** Pauses after what is under way. */
  pause(): void
  resume(): void
  /** Stops after what is under way, as the first Ctrl+C does. */
  stop(): void
}

/** Where a run is watched and steered from: a terminal, or nothing at all. */
export interface Frontend {
  /** Called once, just before the run begins. */
  announce(title: string, rows: string[][], output: RunSpec['settings']['output']): void
  preview(dry: DryRun & { warnings: string[] }, output: RunSpec['settings']['output']): void
  /** The listeners, in the order in which they get each event. */
  watch(run: RunView): Listener[]
  /** Gets the attention of somebody at a terminal. Says whether that shows a notification on the desktop. */
  alert?(notice: Pick<Notice, 'title' | 'text'>, wishes: RunSpec['settings']['notify']): boolean
  /** A way to the user. Null if nobody can be asked. */
  user(stop: AbortSignal): UserAccess | null
  /** `interrupt`: as if somebody had pressed Ctrl+C. `stopSoon`: the same, but never the second time. */
  openSignals(): { signals: Signals; interrupt(): void; stopSoon(): void; close(): void }
}

/** What listeners may look at in a run that this process hosts. */
export function viewOf(
  { id, workflow, spec, limits, env }: Pick<HostOptions, 'id' | 'workflow' | 'spec' | 'limits' | 'env'>,
  book: Book,
  dir: string,
  stop: () => void,
): RunView {
  const send = (type: 'retry' | 'pause' | 'resume') => () => {
    const to = processRef(process.pid)
    sendControl(dir, { type }, Date.now(), { to, from: senderOf(env) })
  }
  return {
    id,
    spec,
    iterations: limits.iterations,
    isParallel: book.table.width > 1,
    list: () =>
      workflow.listed
        ? {
            // Made only when shown: some listeners only ask whether there is a list, and it can be long.
            get items() {
              return projectTodo(book.tasks, book.state, book.table)
            },
            get blocked() {
              return blockedTasks(book.tasks, book.state, book.table)
            },
            isVerified: task => book.state.taskStates[task]?.proof ?? false,
          }
        : null,
    stageOf: stage => book.table.stages[stage],
    summary: style => workflow.summary?.(spec, book, style, id) ?? [],
    receipt: () => receiptOf(readJournal(dir), traitsOf(workflow)),
    state: () => book.state,
    retry: send('retry'),
    pause: send('pause'),
    resume: send('resume'),
    stop,
  }
}

/**
 * Stops reading an agent's output while the console's reader is behind, so that unread output does not fill the memory.
 * It reads a chunk now and then, so that a waiting agent is not taken for a silent one. After a signal it reads freely,
 * so that the agent can finish.
 */
export function backPressure(
  drained: () => Promise<void> | null,
  inactivityMs: number,
  hurry: AbortSignal,
): () => Promise<void> | null {
  return () => {
    const wait = hurry.aborted ? null : drained()
    return (
      wait &&
      new Promise(resolve => {
        const go = () => {
          clearTimeout(timer)
          hurry.removeEventListener('abort', go)
          resolve()
        }
        const timer = setTimeout(go, inactivityMs / 2)
        hurry.addEventListener('abort', go)
        void wait.then(go)
      })
    )
  }
}
