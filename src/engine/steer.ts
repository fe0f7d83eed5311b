import type { RunEvent, Sender } from '../core/events.ts'
import type { Control } from '../core/ports.ts'
import { cancelTask, reopen } from '../core/reopen.ts'
import type { TaskId } from '../core/task.ts'
import type { RunContext } from './iterate.ts'

/** Handles new requests. Each is journaled before it takes effect. */
export function obey(context: RunContext, cancel: AbortController, endSteps: (task: TaskId) => void): void {
  const { book, ports } = context
  for (const { id: request, control, from } of ports.controls.pending()) {
    const on = { at: ports.clock.now(), request, ...(from && { from }) }
    if (control.type === 'tell') tell(context, control, on)
    else if (control.type === 'drop') {
      drop(context, control.task, on)
      endSteps(control.task)
    } else if (control.type === 'limit') {
      const { iterations, by } = control
      const limits = { ...book.state.limits, iterations }
      book.record({ type: 'limits', limits, ...(by && { by }), ...on })
    } else if (control.type === 'allow') book.record({ type: 'allowed', host: control.host, ...on })
    else if (control.type === 'todo') book.record(changeOf(context, control.request, on))
    else book.record({ type: 'control', hold: holdAfter(control, book.state.hold), ...on })
    ports.controls.done(request)
    if (control.type === 'cancel') cancel.abort()
  }
}

/** A blocked task that gets an instruction continues with it. */
function tell(
  { book }: RunContext,
  { text, task }: Extract<Control, { type: 'tell' }>,
  on: { at: number; request: string; from?: Sender },
): void {
  book.record({ type: 'instructed', text, ...(task !== undefined && { task }), ...on })
  const about = book.tasks.filter(({ id }) => id === task)
  const reopened = reopen(book.table, book.state, about, on.at)
  if (reopened) book.record(reopened)
}

function drop({ book }: RunContext, id: TaskId, on: { at: number; request: string; from?: Sender }): void {
  const task = book.tasks.find(each => each.id === id)
  const edit = cancelTask(book.table, book.state, task, on.at)
  book.record(
    edit
      ? { ...edit, ...on }
      : { type: 'warned', at: on.at, note: `${id} is not open: it was not cancelled` },
  )
}

const NO_REQUESTS = { error: 'this run takes no requests about it' }

/** The list may have changed since the request was made: then the answer is a warning. */
function changeOf(
  { ports }: RunContext,
  wanted: unknown,
  on: { at: number; request: string; from?: Sender },
): RunEvent {
  const edit = ports.onRequest?.(wanted) ?? NO_REQUESTS
  return 'error' in edit
    ? { type: 'warned', at: on.at, note: `the list was not changed: ${edit.error}` }
    : { type: 'edited', by: 'person', ...edit, ...on }
}

function holdAfter(
  control: Extract<Control, { type: 'pause' | 'resume' | 'cancel' | 'retry' }>,
  hold: null | 'pause' | 'stop',
): null | 'pause' | 'stop' {
  // A cancelled run ends, whatever is asked of it meanwhile.
  if (hold === 'stop') return hold
  switch (control.type) {
    case 'pause':
      return 'pause'
    case 'resume':
      return null
    case 'cancel':
      return 'stop'
    case 'retry':
      return hold
    default:
      return control.type satisfies never
  }
}

/** Sleeps until something happens: a step ends, time is up, a signal or a request comes. */
export function sleeper({ ports, signals }: RunContext) {
  let news = false
  let wake = () => {}
  const stop = ports.controls.onChange(() => {
    news = true
    wake()
  })
  return {
    /** All requests up to now are known. */
    caughtUp(): void {
      news = false
    },
    async wait(things: Iterable<Promise<unknown>>, ms: number | null): Promise<void> {
      if (news || signals.soft.aborted) return
      const woken = new Promise<void>(resolve => {
        wake = resolve
      })
      const cancel = ms === null ? () => {} : ports.clock.after(ms, wake)
      const onSignal = () => wake()
      signals.soft.addEventListener('abort', onSignal)
      await Promise.race([woken, ...things])
      signals.soft.removeEventListener('abort', onSignal)
      cancel()
    },
    stop,
  }
}
