import { join } from 'node:path'
import { type ContextUse, readContextUse } from '../core/context-use.ts'
import type { AgentEvent, RunEvent } from '../core/events.ts'
import type { Parser } from '../core/ports.ts'
import type { StepId } from '../core/table.ts'
import { stepFolders } from '../store/step-files.ts'
import { type GrowingLines, growingLines } from './follow-run.ts'

/** What an agent wrote, as events: its stream is parsed again, as the host parsed it. */
type FollowedStep = { stream: GrowingLines; folder: string }

export type FollowedOutput = {
  /** An event of the journal. */
  onEvent(event: RunEvent): void
  /** Reads what the agents in flight have written since. Returns whether there is more to read now. */
  read(): boolean
  /** All of the journal was read: what comes from now on is new. */
  caughtUp(): void
  /** The folders of the steps in flight. */
  folders(): string[]
  /** The folder of any step. */
  folderOf(step: StepId): string
}

/** Of what happened before the screen was opened, this many steps are shown. */
const RECENT_STEPS = 3

/** A stream that is further ahead is read from its end. */
const MOST_BYTES = 4 * 1024 * 1024

/**
 * Everything that a console would show of a run, in order: the events of the journal, and between them those of the agents'
 * streams. `session`: the run's session folder. `onContext`: an agent's stream told how full its context is.
 */
export function followOutput(
  session: string,
  parserOf: (agent: string) => Parser,
  emit: (event: RunEvent) => void,
  onContext: (use: ContextUse) => void,
): FollowedOutput {
  const names = stepFolders()
  const steps = new Map<StepId, FollowedStep>()
  let recent: RunEvent[] | null = []

  function open(event: Extract<RunEvent, { type: 'started' }>): void {
    if (event.agent === null) return
    const parser = parserOf(event.agent)
    const folder = join(session, names.nameOf(event.id))
    const onAgent = (its: AgentEvent) => {
      // How it ended is in the journal, with its cost.
      if (its.type !== 'ended') emit({ type: 'agent', at: Date.now(), id: event.id, event: its })
    }
    const stream = growingLines(
      join(folder, 'stream.ndjson'),
      line => {
        for (const its of parser.line(line)) onAgent(its)
        const use = readContextUse([line])
        if (use) onContext(use)
      },
      { most: MOST_BYTES },
    )
    steps.set(event.id, { stream, folder })
  }

  function readStreams(): boolean {
    let isMore = false
    for (const { stream } of steps.values()) isMore = stream.read() || isMore
    return isMore
  }

  function show(event: RunEvent): void {
    // What an agent wrote before this comes before it.
    while (readStreams()) {}
    switch (event.type) {
      case 'started':
        emit(event)
        open(event)
        break
      case 'ended':
        emit({ type: 'agent', at: event.at, id: event.id, event: event.result })
        emit(event)
        break
      case 'settled':
        steps.delete(event.id)
        for (const finding of event.findings)
          emit({ type: 'checked', at: event.at, id: event.id, finding, ms: 0, exit: null })
        emit(event)
        break
      default:
        emit(event)
    }
  }

  return {
    onEvent(event) {
      names.learn(event)
      if (recent === null) return show(event)
      recent.push(event)
      if (event.type === 'started') recent = lastSteps(recent)
    },
    caughtUp() {
      const past = recent ?? []
      recent = null
      for (const event of past) show(event)
    },
    read: readStreams,
    folderOf: step => join(session, names.nameOf(step)),
    folders: () => [...steps.values()].map(({ folder }) => folder),
  }
}

/** The events from the third but last start on. */
function lastSteps(events: RunEvent[]): RunEvent[] {
  const starts = events.flatMap((event, at) => (event.type === 'started' ? at : []))
  const from = starts.at(-RECENT_STEPS)
  return starts.length > RECENT_STEPS && from !== undefined ? events.slice(from) : events
}
