import type { AgentEnded, AgentEnding, AgentEvent, Exit, How, Watched } from '../core/events.ts'
import { type AgentListener, afterRunning, CannotGoOn, type Clock, type RunningAgent } from '../core/ports.ts'

/** How long to wait for an agent. */
export type Timeouts = {
  /** A silent stream with no tool call and no background task open, or a screen on which nothing was ever printed. */
  inactivityMs: number
  /** A screen that does not change. */
  screenMs: number
  iterationMs: number
  /** From its result to its exit. */
  lingerMs: number
}

/** How long to trust a tool call that only a hook reported: its end may never be reported. */
const MOST_HOOKED_MS = 10 * 60_000

/**
 * Follows an agent until it has exited, and stops it at a timeout. One timer is set to
 * the earliest possible timeout; nothing polls.
 */
export async function supervise(
  clock: Clock,
  timeouts: Timeouts,
  hard: AbortSignal,
  call: (listener: AgentListener) => Promise<RunningAgent>,
  on: (event: AgentEvent) => void,
  onLive: (agent: RunningAgent) => void,
): Promise<AgentEnding> {
  const began = clock.elapsed()
  /** The open tool calls, and until when each of them is believed. */
  const openTools = new Map<string, number>()
  let openTasks = 0
  /** It gave a result and has not gone on since. */
  let answered = false
  let heard = began
  let silenceMs = timeouts.inactivityMs
  let how: How = 'exited'
  let stoppedByRalph = false
  let result: AgentEnded | undefined
  let limited: AgentEnding['limited']
  let unusable: AgentEnding['unusable']
  let model: string | undefined
  let live: RunningAgent['live'] | undefined
  /** Asked only when it seems to be silent. */
  let lastWritten: NonNullable<RunningAgent['lastWritten']> = () => null
  let stopWatching = () => {}
  let stopLingering = () => {}
  const cancels: (() => void)[] = []

  const see = (event: AgentEvent) => {
    stopLingering()
    answered = event.type === 'answered' || event.type === 'ended'
    if (answered) stopLingering = afterRunning(clock, timeouts.lingerMs, () => stop('exited'))
    if (event.type === 'tool')
      openTools.set(
        event.id,
        event.by === 'hooks' ? clock.elapsed() + MOST_HOOKED_MS : Number.POSITIVE_INFINITY,
      )
    else if (event.type === 'toolResult') openTools.delete(event.id)
    else if (event.type === 'started') model = event.model ?? model
    else if (event.type === 'limited') limited = { resetsAt: event.resetsAt, note: event.note }
    else if (event.type === 'unusable') {
      unusable = { note: event.note }
      stop('exited')
    } else if (event.type === 'background') openTasks = event.open
    else if (event.type === 'ended') result = event
    on(event)
  }
  // It may still be starting: then it is stopped as soon as it runs.
  const stop = (why: How) => {
    if (stoppedByRalph) return
    how = why
    stoppedByRalph = true
    void live?.stop()
  }
  const watchSilence = (ms: number) => {
    stopWatching = clock.after(ms, () => {
      const written = lastWritten() ?? 0
      const silent = Math.min(clock.elapsed() - heard, clock.now() - written)
      const hasOpenTool = [...openTools.values()].some(until => until > clock.elapsed())
      if (hasOpenTool || openTasks > 0) watchSilence(silenceMs)
      else if (silent >= silenceMs) stop('inactive')
      else watchSilence(silenceMs - silent)
    })
  }
  // A result that was given is kept: only the process is stopped.
  const interrupt = () => stop(answered ? 'exited' : 'interrupted')

  try {
    const activity = (watched: Watched | 'hooks') => {
      heard = clock.elapsed()
      if (watched === 'hooks') return
      const allowedMs = watched === 'screen' ? timeouts.screenMs : timeouts.inactivityMs
      if (allowedMs === silenceMs) return
      silenceMs = allowedMs
      stopWatching()
      watchSilence(silenceMs)
    }
    const calling = call({ event: see, activity }).catch(error => notStarted(error))
    // The agent is starting by now, so this costs it no time.
    watchSilence(timeouts.inactivityMs)
    cancels.push(afterRunning(clock, timeouts.iterationMs, () => stop('timeout')))
    hard.addEventListener('abort', interrupt)
    if (hard.aborted) interrupt()
    const agent = await calling
    if ('result' in agent) return agent
    live = agent.live
    lastWritten = agent.lastWritten ?? lastWritten
    onLive(agent)
    if (stoppedByRalph) void live.stop()
    const exit = await live.exit
    if (exit.lost !== undefined && !stoppedByRalph) how = 'interrupted'
    for (const event of agent.end(exit)) see(event)
    return {
      how,
      exit,
      ms: clock.elapsed() - began,
      result: result ?? silentEnd(exit),
      limited,
      ...(unusable && { unusable }),
      ...(model !== undefined && { model }),
      ...(live.watched && { watched: live.watched }),
      stoppedByRalph,
    }
  } catch (error) {
    // Whatever went wrong on our side, no agent is left running.
    await live?.stop()
    throw error
  } finally {
    hard.removeEventListener('abort', interrupt)
    for (const cancel of [stopWatching, stopLingering, ...cancels]) cancel()
  }
}

/** An agent that cannot be started counts as one that exits at once. CannotGoOn is not the agent's failure. */
function notStarted(error: Error): AgentEnding {
  if (error instanceof CannotGoOn) throw error
  return {
    how: 'exited',
    exit: { code: 127, signal: null },
    ms: 0,
    result: { type: 'ended', ok: false, text: '', error: error.message },
    stoppedByRalph: false,
  }
}

const silentEnd = (exit: Exit): AgentEnded => ({
  type: 'ended',
  ok: false,
  text: '',
  error: `ended without a result (${exit.signal ?? `exit code ${exit.code}`})`,
})
