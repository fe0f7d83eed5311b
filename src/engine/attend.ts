import type { AgentEnded, AgentEvent, Exit, How } from '../core/events.ts'
import { type Called, CannotGoOn, type Clock, type Ears } from '../core/ports.ts'
import type { Step } from '../core/table.ts'

/** How long an agent is waited for. */
export type Patience = {
  /** A silent stream with no tool call and no background task open. */
  inactivityMs: number
  iterationMs: number
  /** From its result to its exit. */
  lingerMs: number
}

export type Ended = NonNullable<Step['ended']>

/**
 * Stays with an agent until it is gone, and ends it when patience runs out. No timer ticks:
 * one is armed for the earliest moment at which silence could be too long.
 */
export async function attend(
  clock: Clock,
  patience: Patience,
  hard: AbortSignal,
  call: (ears: Ears) => Promise<Called>,
  on: (event: AgentEvent) => void,
  onLive: (called: Called) => void,
): Promise<Ended> {
  const began = clock.elapsed()
  const openTools = new Set<string>()
  let openTasks = 0
  /** It gave a result and has not gone on since. */
  let answered = false
  let heard = began
  let how: How = 'exited'
  let seenOff = false
  let result: AgentEnded | undefined
  let limited: Ended['limited']
  let unusable: Ended['unusable']
  let live: Called['live'] | undefined
  let stopWatching = () => {}
  let stopLingering = () => {}
  const cancels: (() => void)[] = []

  const see = (event: AgentEvent) => {
    stopLingering()
    answered = event.type === 'answered' || event.type === 'ended'
    if (answered) stopLingering = clock.after(patience.lingerMs, () => seeOff('exited'))
    if (event.type === 'tool') openTools.add(event.id)
    else if (event.type === 'toolResult') openTools.delete(event.id)
    else if (event.type === 'limited') limited = { resetsAt: event.resetsAt, note: event.note }
    else if (event.type === 'unusable') {
      unusable = { note: event.note }
      seeOff('exited')
    } else if (event.type === 'background') openTasks = event.open
    else if (event.type === 'ended') result = event
    on(event)
  }
  // Also while it is still being started: then it is ended as soon as it is there.
  const seeOff = (why: How) => {
    if (seenOff) return
    how = why
    seenOff = true
    void live?.stop()
  }
  const watchSilence = (ms: number) => {
    stopWatching = clock.after(ms, () => {
      const silent = clock.elapsed() - heard
      if (openTools.size > 0 || openTasks > 0) watchSilence(patience.inactivityMs)
      else if (silent >= patience.inactivityMs) seeOff('inactive')
      else watchSilence(patience.inactivityMs - silent)
    })
  }
  // A result that is already there is not thrown away: only its process is ended.
  const interrupt = () => seeOff(answered ? 'exited' : 'interrupted')

  try {
    const stir = () => {
      heard = clock.elapsed()
    }
    const calling = call({ event: see, stir }).catch(error => notStarted(error))
    // By now it is starting, as a rule, and this takes nothing of its time.
    watchSilence(patience.inactivityMs)
    cancels.push(clock.after(patience.iterationMs, () => seeOff('timeout')))
    hard.addEventListener('abort', interrupt)
    if (hard.aborted) interrupt()
    const called = await calling
    if ('result' in called) return called
    live = called.live
    onLive(called)
    if (seenOff) void live.stop()
    const exit = await live.exit
    for (const event of called.end(exit)) see(event)
    return {
      how,
      exit,
      ms: clock.elapsed() - began,
      result: result ?? silentEnd(exit),
      limited,
      ...(unusable && { unusable }),
      seenOff,
    }
  } catch (error) {
    // Whatever went wrong on our side, the agent does not stay behind.
    await live?.stop()
    throw error
  } finally {
    hard.removeEventListener('abort', interrupt)
    for (const cancel of [stopWatching, stopLingering, ...cancels]) cancel()
  }
}

/** An agent that could not be started failed like one that exits at once; what keeps ralph from going on is no failure of it. */
function notStarted(error: Error): Ended {
  if (error instanceof CannotGoOn) throw error
  return {
    how: 'exited',
    exit: { code: 127, signal: null },
    ms: 0,
    result: { type: 'ended', ok: false, text: '', error: error.message },
    seenOff: false,
  }
}

const silentEnd = (exit: Exit): AgentEnded => ({
  type: 'ended',
  ok: false,
  text: '',
  error: `ended without a result (${exit.signal ?? `exit code ${exit.code}`})`,
})
