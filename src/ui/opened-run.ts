import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { type ContextUse, contextWindow } from '../core/agent/context-use.ts'
import type { AgentEvent, RunEvent, TodoItem } from '../core/events.ts'
import { runDir } from '../runs/find.ts'
import { isLive } from '../runs/live.ts'
import { bytesFrom, LIMITS, textAt } from '../store/files/read.ts'
import { watchFolder } from '../store/files/watch-folder.ts'
import { liveLine } from '../view/live-line.ts'
import { endingOf, resumeCommand } from '../view/report/ending.ts'
import type { CheckRow, RunModel } from '../view/screens/model.ts'
import { lastChecks, runningChecks } from '../view/screens/panels/checks.ts'
import { withFile } from '../view/screens/panels/task-panel.ts'
import { rowOf } from '../view/screens/rows.ts'
import type { RunFacts } from '../view/screens/run-facts.ts'
import type { Style } from '../view/style.ts'
import { plain } from '../view/text/plain.ts'
import { clockTime } from '../view/time.ts'
import { type FollowedOutput, followOutput } from './follow-output.ts'
import { followRun } from './follow-run.ts'
import { outputTail } from './output-tail.ts'
import type { ShownList, UiPorts } from './ports.ts'

/** One run that is open on the screen: its journal, the streams of its agents, its list. */
export type OpenedRun = {
  id: string
  /** null: its journal is still being read. */
  model(now: number, shape: OutputShape): RunModel | null
  close(): void
}

/** How its output is shown. `log`: the one whose end is shown too. */
type OutputShape = { columns: number; isUnfolded: boolean; screen: number; log: string | null }

const TURN_MS = 8

/** `onChange`: there is something new to show. */
export function openRun(ports: UiPorts, id: string, style: Style, onChange: () => void): OpenedRun {
  const stops = new Map<string, () => void>()
  const worker = ports.workerOf(id)
  let isCaughtUp = false
  let contextUse: number | null = null
  let isClosed = false
  let isPumping = false
  let output: FollowedOutput | null = null
  let session = ''
  let list: ShownList | null = null
  let listVersion = ''
  let fileItems: readonly TodoItem[] | null = null
  let started: Extract<AgentEvent, { type: 'started' }> | null = null
  const facts = (): RunFacts | null => run.facts()
  const tail = outputTail(style, facts)
  const live = liveLine({
    style,
    limit: null,
    clock: at => clockTime(at, Date.now()),
    state: () => facts()?.state ?? null,
  })
  const onContext = (use: ContextUse) => {
    if (use.type === 'compacted') contextUse = null
    else contextUse = use.tokens / contextWindow(use.model, started?.model ?? null, use.tokens)
  }
  const emit = (event: RunEvent) => {
    if (event.type === 'started') contextUse = null
    if (event.type === 'agent' && event.event.type === 'started') started = event.event
    live.onEvent(event)
    tail.add(event)
  }
  const run = followRun(runDir(ports.home, id), ports.workflowOf, event => {
    if (event.type === 'began') begin(event)
    output?.onEvent(event)
    // The live line knows the limit from its own events only.
    if (event.type === 'began' || event.type === 'resumed')
      live.onEvent({ type: 'limits', at: event.at, limits: event.limits })
  })

  function begin(began: Extract<RunEvent, { type: 'began' }>): void {
    session = ports.sessionOf(began)
    output = followOutput(session, agent => ports.parserOf(began, agent), emit, onContext)
    list = ports.listOf(began)
  }
  function wake(): void {
    if (!isPumping) setImmediate(pump)
    isPumping = true
  }
  function pump(): void {
    isPumping = false
    if (isClosed) return
    const end = performance.now() + TURN_MS
    let isMore = true
    while (isMore && performance.now() < end) isMore = run.read()
    if (!isMore && !isCaughtUp) {
      isCaughtUp = true
      output?.caughtUp()
    }
    readList()
    if (!isMore) isMore = output?.read() ?? false
    // What was written after it was read, and before it was watched, is not told.
    const isNew = keepWatching()
    onChange()
    if (isMore || isNew) wake()
  }
  /** A file that is half written is not a list: the last good one stays. */
  function readList(): void {
    if (list === null) return
    const found = statSync(list.path, { throwIfNoEntry: false })
    const version = found ? `${found.ino} ${found.mtimeMs} ${found.size}` : ''
    if (version === listVersion) return
    listVersion = version
    const text = textAt(list.path, { limit: LIMITS.text })
    fileItems = (text === null ? null : list.read(text)) ?? fileItems
  }
  /** The folders of agents come and go. Returns whether there is a new one. */
  function keepWatching(): boolean {
    const folders = [run.dir, session, ...(output?.folders() ?? []), ...(list ? [dirname(list.path)] : [])]
    const wanted = new Set(folders.filter(folder => existsSync(folder)))
    const added = [...wanted].filter(folder => !stops.has(folder))
    for (const folder of added) stops.set(folder, watchFolder(folder, wake))
    for (const [folder, stop] of stops)
      if (!wanted.has(folder)) {
        stop()
        stops.delete(folder)
      }
    return added.length > 0
  }

  /** The checks of the latest iteration; while they run, those of the iteration under way whose logs are there. */
  function checksNow(known: RunFacts): CheckRow[] {
    const step = Object.values(known.state.flight).find(({ ended }) => ended !== undefined)
    const folder = step && output?.folderOf(step.id)
    return folder && existsSync(folder) ? runningChecks(folder, readdirSync(folder)) : lastChecks(known)
  }

  wake()
  return {
    id,
    model(now, { columns, isUnfolded, screen, log }) {
      const known = isCaughtUp ? facts() : null
      if (!known) return null
      const row = rowOf(known, { worker, isAtWork: isLive({ events: known.latest }), now })
      const ending = endingOf(known.latest, row.isAtWork)
      return {
        row,
        facts: known,
        items: withFile(known.items, fileItems),
        output: tail.view(columns, isUnfolded),
        live: row.isAtWork ? live.line(now, screen) : '',
        checks: checksNow(known),
        log: log === null ? null : { path: log, lines: tailOf(log) },
        folderOf: step => output?.folderOf(step) ?? '',
        editable: list?.path ?? ports.promptOf(known.began),
        auth: started?.auth ?? null,
        model: started?.model ?? known.model,
        contextUse,
        goOn: resumeCommand(known.latest, known.workflow, ending, known.spent, () => known),
      }
    },
    close() {
      isClosed = true
      for (const stop of stops.values()) stop()
      stops.clear()
    },
  }
}

const LOG_BYTES = 64 * 1024
const LOG_LINES = 200

/** The end of a log, as plain text. */
function tailOf(path: string): string[] {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const text = bytesFrom(path, Math.max(size - LOG_BYTES, 0), LOG_BYTES).toString('utf8')
  return plain(text).trimEnd().split('\n').slice(-LOG_LINES)
}
